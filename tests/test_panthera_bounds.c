// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Panthera files whose animations in animations come to far more than the file is long: small ones
// that would take minutes and gigabytes are read in little time and memory, with less of what is
// nested, and large ones as people make them lose nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "import.h"
#include "sanitized.h"

/// What a project may take to read; more where it is not optimised or watched over.
#ifdef __OPTIMIZE__
enum { MOST_SECONDS = IS_SANITIZED ? 20 : 4 };
#else
enum { MOST_SECONDS = 20 };
#endif

/// A project as it is written. Keys belong to the animation that was begun last.
struct project {
    FILE *out;
    char *text;
    size_t size_bytes;
    uint32_t animation_count;
    uint32_t key_count; // of the last one
};

static void project_begin(struct project *project)
{
    memset(project, 0, sizeof *project);
    project->out = open_memstream(&project->text, &project->size_bytes);
    assert_non_null(project->out);
    fputs("{\"type\":\"animation_editor\",\"version\":1,\"data\":{\"animations\":[", project->out);
}

static void animation_begin(struct project *project, const char *id)
{
    fprintf(project->out, "%s{\"animation_id\":\"%s\",\"duration\":1,\"animation_keys\":[",
            project->animation_count > 0 ? "]}," : "", id);
    project->animation_count++;
    project->key_count = 0;
}

static void animation_begin_numbered(struct project *project, uint32_t number)
{
    char id[16];
    snprintf(id, sizeof id, "a%u", number);
    animation_begin(project, id);
}

/// Begins a key, whose braces the caller closes.
static void key_begin(struct project *project, const char *kind, const char *node, double start_s,
                      double duration_s)
{
    fprintf(project->out,
            "%s{\"key_type\":\"%s\",\"node_id\":\"%s\",\"start_time\":%.17g,\"duration\":%.17g",
            project->key_count > 0 ? "," : "", kind, node, start_s, duration_s);
    project->key_count++;
}

static void tween(struct project *project, const char *node, uint32_t property, double start_s,
                  double duration_s)
{
    key_begin(project, "tween", node, start_s, duration_s);
    fprintf(project->out, ",\"property_id\":\"p%u\",\"end_value\":1}", property);
}

static void clip(struct project *project, const char *node, const char *inner, double start_s,
                 double duration_s, const char *easing)
{
    key_begin(project, "animation", node, start_s, duration_s);
    fprintf(project->out, ",\"property_id\":\"%s\",\"easing\":\"%s\"}", inner, easing);
}

/// Adds a clip that goes there and back as often as said.
static void zigzag(struct project *project, const char *inner, uint32_t count)
{
    key_begin(project, "animation", "", 0, 1);
    fprintf(project->out, ",\"property_id\":\"%s\",\"easing_custom\":[0", inner);
    for (uint32_t i = 1; i < count; i++) {
        fputs(i % 2 == 1 ? ",1" : ",0", project->out);
    }
    fputs("]}", project->out);
}

static void project_end(struct project *project, const char *template_node)
{
    fputs("]}],\"metadata\":{\"template_animation_paths\":{", project->out);
    if (template_node) {
        fprintf(project->out, "\"%s\":\"none.json\"", template_node);
    }
    fputs("}}}}", project->out);
    fclose(project->out);
}

/// Returns a long text that ends with another.
static char *text_long(const char *part, size_t count, const char *end)
{
    const size_t bytes = strlen(part);
    char *const text = malloc(count * bytes + strlen(end) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + i * bytes, part, bytes);
    }
    strcpy(text + count * bytes, end);
    return text;
}

static struct {
    struct scene scene;
    struct report report;
    char messages[1 << 16]; // the first ones
} loaded;

/// Reads a project, and frees its text.
/// @return processor time
static double load(struct project *project)
{
    memset(&loaded, 0, sizeof loaded);
    loaded.report.out = fmemopen(loaded.messages, sizeof loaded.messages - 1, "w");
    assert_non_null(loaded.report.out);
    const clock_t start = clock();
    if (!import_panthera("./a.json", project->text, project->size_bytes, &loaded.scene,
                         &loaded.report)) {
        fail_msg("%s", loaded.report.first_error);
    }
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    fclose(loaded.report.out);
    free(project->text);
    return seconds;
}

static void unload(void)
{
    scene_free(&loaded.scene);
}

/// Asserts that reading a project takes little: here it would be ten times as much without bounds.
static void assert_bounded(struct project *project)
{
    struct rusage usage;
    const double seconds = load(project);
    getrusage(RUSAGE_SELF, &usage);
    assert_true(seconds < MOST_SECONDS);
    assert_true(IS_SANITIZED || usage.ru_maxrss < 256 << 10);
}

static bool is_cut(void)
{
    return strstr(loaded.messages, "panthera.size") != NULL;
}

// -- Small files

static void test_panthera_bounds_eased_clips_in_eased_clips_end(void **state)
{
    (void)state;
    struct project project;
    project_begin(&project);
    animation_begin(&project, "a");
    zigzag(&project, "b", 10000);
    animation_begin(&project, "b");
    zigzag(&project, "c", 10000);
    animation_begin(&project, "c");
    tween(&project, "n", 0, 0, 1);
    project_end(&project, NULL);
    assert_bounded(&project);
    assert_true(is_cut());
    assert_int_equal(loaded.scene.clip_count, 3);
    unload();
}

static void test_panthera_bounds_turns_of_many_keys_in_an_eased_clip_end(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { // keys of values, or of other animations
        struct project project;
        project_begin(&project);
        animation_begin(&project, "a");
        zigzag(&project, "b", 6000);
        animation_begin(&project, "b");
        for (uint32_t k = 0; k < 6000; k++) {
            if (i == 0) {
                tween(&project, "n", 0, k / 6000.0, k % 2 / 12000.0);
            } else {
                clip(&project, "", "c", k / 6000.0, 1 / 6000.0, "linear");
            }
        }
        animation_begin(&project, "c");
        tween(&project, "n", 0, 0, 1);
        project_end(&project, NULL);
        assert_bounded(&project);
        assert_true(is_cut());
        unload();
    }
}

static void test_panthera_bounds_names_of_many_folders_end(void **state)
{
    (void)state;
    char *const node = text_long("a/", 1 << 20, "y");
    char *const template = text_long("a/", 1 << 20, "x");
    struct project project;
    project_begin(&project);
    animation_begin(&project, "a");
    clip(&project, node, "b", 0, 1, "linear");
    project_end(&project, template);
    assert_bounded(&project);
    assert_int_equal(loaded.report.warning_count, 2); // no such template, and no such animation
    unload();
    free(template);
    free(node);
}

/// Adds two clips of the animation and another one of it inside, all the way down.
static void clips_of_itself(struct project *project)
{
    clip(project, "", "a", 0, 0.5, "linear");
    clip(project, "", "b", 0.5, 0.5, "linear");
}

static void test_panthera_bounds_what_is_missing_in_nests_is_looked_for_once(void **state)
{
    (void)state;
    char *const node = text_long("a/", 500, "y");
    char *const template = text_long("a/", 500, "x");
    struct project project;
    project_begin(&project);
    for (int i = 0; i < 2; i++) {
        animation_begin(&project, i == 0 ? "a" : "b");
        clips_of_itself(&project);
        for (uint32_t k = 0; k < 600; k++) {
            char id[16];
            snprintf(id, sizeof id, "m%u", k);
            clip(&project, node, id, 0, 1, "linear");
        }
    }
    project_end(&project, template);
    assert_bounded(&project);
    unload();
    free(template);
    free(node);
}

static void test_panthera_bounds_long_names_in_nests_end(void **state)
{
    (void)state;
    char *const node = text_long("n", 10000, "");
    struct project project;
    project_begin(&project);
    for (int i = 0; i < 2; i++) {
        animation_begin(&project, i == 0 ? "a" : "b");
        clips_of_itself(&project);
        for (uint32_t k = 0; k < 60; k++) {
            tween(&project, node, k, 0, 1);
        }
    }
    project_end(&project, NULL);
    assert_bounded(&project);
    assert_true(is_cut());
    assert_int_equal(loaded.scene.property_count, 60);
    unload();
    free(node);
}

static void test_panthera_bounds_curves_through_many_easings_end(void **state)
{
    (void)state;
    enum { DEPTH = 16 };
    struct project project;
    project_begin(&project);
    for (uint32_t i = 0; i < DEPTH; i++) {
        char inner[16];
        snprintf(inner, sizeof inner, "a%u", i + 1);
        animation_begin_numbered(&project, i);
        if (i + 1 < DEPTH) {
            clip(&project, "", inner, 0, 1, "inoutelastic");
            continue;
        }
        for (uint32_t k = 0; k < 400; k++) {
            tween(&project, "n", k, 0, 1);
        }
    }
    project_end(&project, NULL);
    assert_bounded(&project);
    assert_true(is_cut());
    unload();
}

static void test_panthera_bounds_animations_in_each_other_end(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    struct project project;
    project_begin(&project);
    for (uint32_t i = 0; i < COUNT; i++) {
        animation_begin_numbered(&project, i);
        for (uint32_t k = 0; k < 3; k++) {
            char inner[16];
            snprintf(inner, sizeof inner, "a%u", (i + k) % COUNT);
            clip(&project, "", inner, 0.3 * k, 0.5, "outsine");
        }
        tween(&project, "n", 0, 0, 1);
        key_begin(&project, "event", "n", 0.5, 0);
        fputs(",\"property_id\":\"event\",\"event_id\":\"e\"}", project.out);
    }
    project_end(&project, NULL);
    assert_bounded(&project);
    assert_true(is_cut());
    assert_int_equal(loaded.scene.clip_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) { // what is not nested is never too much
        assert_int_equal(loaded.scene.clips[i].track_count, 1);
        assert_true(loaded.scene.clips[i].event_count >= 1);
    }
    unload();
}

// -- Large files

/// Adds animations on levels, as many on each, of which each has clips of those on the next level.
/// @param fans how many clips, by level; the last one has none
static void levels_add(struct project *project, uint32_t level_count, uint32_t width,
                       const uint32_t *fans)
{
    for (uint32_t i = 0; i < level_count * width; i++) {
        const uint32_t level = i / width;
        const uint32_t fan = level + 1 < level_count ? fans[level] : 0;
        animation_begin_numbered(project, i);
        for (uint32_t k = 0; k < fan; k++) {
            char inner[16];
            snprintf(inner, sizeof inner, "a%u", (level + 1) * width + (i + k) % width);
            clip(project, "", inner, (double)k / fan, 1.0 / fan, "outsine");
        }
        for (uint32_t k = 0; k < 50; k++) {
            char node[16];
            snprintf(node, sizeof node, "n%u_%u", level, k % 10);
            tween(project, node, 0, k / 10 * 0.2, 0.2);
        }
    }
}

static double value_of(const struct scene_clip *clip, const char *path, double time_s)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        double value;
        if (strcmp(loaded.scene.properties[clip->tracks[i].property].path, path) == 0) {
            scene_curve_sample(&clip->tracks[i].curve, SCENE_PROPERTY, time_s, &value);
            return value;
        }
    }
    fail_msg("no %s", path);
    return NAN;
}

/// A hundred animations on four levels, with fifty tweens each and twenty eased clips in those of
/// the first level.
static void test_panthera_bounds_large_projects_are_whole(void **state)
{
    (void)state;
    static const uint32_t fans[2][3] = {{20, 1, 1}, {2, 2, 3}};
    const double half_pi = 1.57079632679489662;
    for (int i = 0; i < 2; i++) {
        struct project project;
        project_begin(&project);
        levels_add(&project, 4, 25, fans[i]);
        project_end(&project, NULL);
        const double seconds = load(&project);
        assert_true(seconds < MOST_SECONDS);
        assert_int_equal(loaded.report.warning_count, 0);
        assert_int_equal(loaded.scene.clip_count, 100);
        for (uint32_t k = 0; k < 100; k++) {
            assert_int_equal(loaded.scene.clips[k].track_count, 40 - k / 25 * 10);
        }
        unload();
    }
    // Of twenty one after the other, the eleventh a twentieth of its way.
    struct project project;
    project_begin(&project);
    levels_add(&project, 4, 25, fans[0]);
    project_end(&project, NULL);
    load(&project);
    double part = 0.05;
    for (int i = 0; i < 3; i++) {
        part = sin(part * half_pi);
    }
    const double value = value_of(&loaded.scene.clips[0], "/n3_0/p0", 0.5025);
    assert_true(fabs(value - fmod(part, 0.2) / 0.2) < 1e-6);
    unload();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panthera_bounds_eased_clips_in_eased_clips_end),
        cmocka_unit_test(test_panthera_bounds_turns_of_many_keys_in_an_eased_clip_end),
        cmocka_unit_test(test_panthera_bounds_names_of_many_folders_end),
        cmocka_unit_test(test_panthera_bounds_what_is_missing_in_nests_is_looked_for_once),
        cmocka_unit_test(test_panthera_bounds_long_names_in_nests_end),
        cmocka_unit_test(test_panthera_bounds_curves_through_many_easings_end),
        cmocka_unit_test(test_panthera_bounds_animations_in_each_other_end),
        cmocka_unit_test(test_panthera_bounds_large_projects_are_whole),
    };
    return cmocka_run_group_tests_name("panthera_bounds", tests, NULL, NULL);
}
