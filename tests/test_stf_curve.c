// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Curves of STF animations: every component against its own curve, found by halving in long double;
// what files may leave out; and packs made of bezier curves. Numbers in names are those of the
// conformance list in the format's notes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "import.h"
#include "stf_builder.h"
#include "temp_folder.h"

enum { TEXT_BYTES = 1 << 18, STF_MOST_VALUES = 64 };

// ---- Files -------------------------------------------------------------------------------------

/// A file imported, and what was said about it.
struct loaded {
    struct scene scene;
    struct report report;
    bool ok;
    char *said;
    size_t said_bytes;
};

/// What a test puts into a file beside an animation.
struct extras {
    bool is_added; // tangents
    const float *baked[4];
    uint32_t baked_counts[4];
    const char *other; // a second animation, "reset"
};

static const struct stf_trs rest = {{10, 20, 30}, {0, 0.6, 0, 0.8}, {2, 3, 4}};

/// Reads JSON with ' for ".
static json_t *json_of(const char *text)
{
    char *const copy = strdup(text);
    for (char *at = copy; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    json_error_t error;
    json_t *const json = json_loads(copy, 0, &error);
    if (json == NULL) {
        fail_msg("%s at %d: %s", error.text, error.position, copy);
    }
    free(copy);
    return json;
}

static void add_animation(struct stf_builder *builder, const char *id, const char *text,
                          const struct extras *extras)
{
    json_t *const animation = stf_builder_add(builder, id, "stf.animation", id);
    for (int i = 0; i < 4 && extras->baked[i]; i++) {
        json_decref(stf_builder_buffer(builder, animation, extras->baked[i],
                                       extras->baked_counts[i] * sizeof(float)));
    }
    json_t *const members = json_of(text);
    json_object_update(animation, members);
    json_decref(members);
}

/// Makes a file: node "n" that rests at `rest`, an armature of bone "b" on node "posed" that poses
/// it at `rest`, blendshapes on node "m", and the animation.
static unsigned char *file_of(const char *text, const struct extras *extras, size_t *size_bytes)
{
    static const struct stf_bone bone = {"b", "bone", -1, {1, 2, 3}, {0, 0, 0, 1}, 1};
    static const struct stf_blendshape shapes[] = {
        {"Key 1", 0.25}, {"a.b/c~d \"q\"", 0.5}, {"still", 0}};
    struct stf_builder *const builder = calloc(1, sizeof *builder);
    stf_builder_start(builder, (struct stf_layout){0});
    stf_builder_node(builder, "n", "Node", "prefab", &rest);
    stf_builder_node(builder, "posed", "Posed", "prefab", &stf_identity);
    stf_builder_node(builder, "m", "Mesh", "prefab", &stf_identity);
    stf_builder_armature(builder, "armature", "Armature", &bone, 1);
    stf_builder_armature_instance(builder, "armature-instance", "posed", "armature");
    stf_builder_pose(builder, "armature-instance", "b", &rest);
    stf_builder_mesh(builder, "mesh", "Mesh", shapes, 3);
    stf_builder_mesh_instance(builder, "mesh-instance", "m", "mesh", NULL);
    add_animation(builder, "a", text, extras);
    if (extras->other) {
        add_animation(builder, "reset", extras->other, &(struct extras){0});
    }
    unsigned char *const file = stf_builder_file(builder, size_bytes);
    stf_builder_free(builder);
    free(builder);
    return file;
}

static struct loaded *load_with(const char *text, const struct extras *extras)
{
    size_t size_bytes;
    unsigned char *const file = file_of(text, extras, &size_bytes);
    struct loaded *const loaded = calloc(1, sizeof *loaded);
    const struct import_options options = {.is_stf_tangent_added = extras->is_added};
    loaded->report.out = open_memstream(&loaded->said, &loaded->said_bytes);
    loaded->ok =
        import_stf("test.stf", file, size_bytes, &options, &loaded->scene, &loaded->report);
    fclose(loaded->report.out);
    free(file);
    return loaded;
}

/// Imports an animation of these tracks, frames 1 to 31 at 30 Hz.
static struct loaded *load(const char *tracks)
{
    char *const text = malloc(TEXT_BYTES);
    snprintf(text, TEXT_BYTES, "{'loop':'none','fps':30,'range':[1,31],'tracks':[%s]}", tracks);
    struct loaded *const loaded = load_with(text, &(struct extras){0});
    free(text);
    if (!loaded->ok) {
        fail_msg("%s", loaded->report.first_error);
    }
    return loaded;
}

static void unload(struct loaded *loaded)
{
    if (loaded->ok) {
        scene_free(&loaded->scene);
    }
    free(loaded->said);
    free(loaded);
}

static bool is_said(const struct loaded *loaded, const char *code)
{
    return strstr(loaded->said, code) != NULL;
}

static const struct scene_track *track_at(const struct loaded *loaded, uint32_t index)
{
    assert_true(loaded->ok);
    assert_true(index < loaded->scene.clips[0].track_count);
    return &loaded->scene.clips[0].tracks[index];
}

static double sample(const struct loaded *loaded, uint32_t track, uint32_t component, double time_s)
{
    double out[8];
    const struct scene_track *const at = track_at(loaded, track);
    scene_curve_sample(&at->curve, at->path, time_s, out);
    return out[component];
}

static void assert_near(double value, long double truth, double tolerance)
{
    if (!(fabsl((long double)value - truth) <= (long double)tolerance)) {
        fail_msg("%.17g is not within %g of %.17Lg", value, tolerance, truth);
    }
}

// ---- The oracle --------------------------------------------------------------------------------

enum type { CONSTANT, LINEAR, QUADRATIC, CUBIC, BEZIER };

static const char *const type_names[] = {"constant", "linear", "quadratic", "cubic", "bezier"};

enum { MOST_KEYS = 8, MOST_COMPONENTS = 4 };

struct key {
    double frame;
    double value;
    enum type type;
    double out[2];
    double in[2];
};

struct component {
    uint32_t count;
    struct key keys[MOST_KEYS];
};

static long double bernstein(long double p0, long double p1, long double p2, long double p3,
                             long double s)
{
    const long double r = 1 - s;
    return r * r * r * p0 + 3 * r * r * s * p1 + 3 * r * s * s * p2 + s * s * s * p3;
}

static long double oracle_bezier(const struct key *a, const struct key *b, long double frame)
{
    const long double x[4] = {a->frame, (long double)a->frame + a->out[0],
                              (long double)b->frame + b->in[0], b->frame};
    long double low = 0;
    long double high = 1;
    for (int i = 0; i < 100; i++) {
        const long double middle = (low + high) / 2;
        if (bernstein(x[0], x[1], x[2], x[3], middle) < frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return bernstein(a->value, (long double)a->value - a->out[1], (long double)b->value - b->in[1],
                     b->value, (low + high) / 2);
}

static long double oracle(const struct component *component, long double frame)
{
    const struct key *const keys = component->keys;
    uint32_t at = 0;
    if (frame <= keys[0].frame) {
        return keys[0].value;
    }
    while (at + 1 < component->count && keys[at + 1].frame <= frame) {
        at++;
    }
    if (at + 1 == component->count) {
        return keys[at].value;
    }
    const long double a = keys[at].value;
    const long double b = keys[at + 1].value;
    const long double u =
        (frame - keys[at].frame) / ((long double)keys[at + 1].frame - keys[at].frame);
    switch (keys[at].type) {
    case CONSTANT:
        return a;
    case LINEAR:
        return a + (b - a) * u;
    case QUADRATIC:
        return a + (b - a) * u * u;
    case CUBIC:
        return a + (b - a) * u * u * u;
    case BEZIER:
        break;
    }
    return oracle_bezier(&keys[at], &keys[at + 1], frame);
}

// ---- Writing tracks ----------------------------------------------------------------------------

static char *put(char *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

static char *put(char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsprintf(at, format, arguments);
    va_end(arguments);
    return at + length;
}

static char *put_key(char *at, const struct component *component, uint32_t index, bool is_old)
{
    const struct key *const key = &component->keys[index];
    at = put(at, "[true,");
    if (is_old) {
        at = put(at, "%.17g,", key->frame);
    }
    at = put(at, "%.17g,'%s'", key->value, type_names[key->type]);
    if (key->type == BEZIER) {
        at = put(at, ",'split',[%.17g,%.17g]", key->out[0], key->out[1]);
    }
    if (index > 0 && key[-1].type == BEZIER) {
        at = put(at, ",[%.17g,%.17g]", key->in[0], key->in[1]);
    }
    return put(at, "]");
}

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static uint32_t all_frames(const struct component *components, uint32_t count, double *frames)
{
    uint32_t total = 0;
    uint32_t kept = 0;
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t i = 0; i < components[c].count; i++) {
            frames[total++] = components[c].keys[i].frame;
        }
    }
    qsort(frames, total, sizeof *frames, compare_doubles);
    for (uint32_t i = 0; i < total; i++) {
        if (kept == 0 || frames[i] > frames[kept - 1]) {
            frames[kept++] = frames[i];
        }
    }
    return kept;
}

/// Writes a track in the newer layout, null where a component has no key, or in the older one.
static char *put_track(char *at, const char *target, const struct component *components,
                       uint32_t count, bool is_old)
{
    double frames[MOST_KEYS * MOST_COMPONENTS];
    const uint32_t frame_count = all_frames(components, count, frames);
    at = put(at, "{'target':%s,", target);
    for (uint32_t i = 0; i < frame_count && !is_old; i++) {
        at = put(at, "%s%.17g", i == 0 ? "'timepoints':[" : ",", frames[i]);
    }
    at = put(at, "%s'subtracks':[", is_old ? "" : "],");
    for (uint32_t c = 0; c < count; c++) {
        uint32_t next = 0;
        at = put(at, "%s{'keyframes':[", c == 0 ? "" : ",");
        for (uint32_t i = 0; i < frame_count; i++) {
            const bool is_there =
                next < components[c].count && components[c].keys[next].frame == frames[i];
            if (is_there || !is_old) {
                at = put(at, "%s", at[-1] == '[' ? "" : ",");
                at = is_there ? put_key(at, &components[c], next++, is_old) : put(at, "null");
            }
        }
        at = put(at, "]}");
    }
    return put(at, "]}");
}

// ---- Random curves -----------------------------------------------------------------------------

static uint64_t random_state = 1;

static double random_between(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(random_state >> 11) * 0x1p-53);
}

static uint32_t random_below(uint32_t count)
{
    return (uint32_t)random_between(0, count);
}

/// Makes up handles of an interval, now and then upright ones or as long as they may be.
static void random_handles(struct key *a, struct key *b, const double parts[2], double size)
{
    const double frames = b->frame - a->frame;
    a->out[0] = parts[0] * frames;
    b->in[0] = -parts[1] * frames;
    a->out[1] = random_between(-size, size);
    b->in[1] = random_between(-size, size);
}

static void random_parts(double parts[2])
{
    for (int i = 0; i < 2; i++) {
        const uint32_t kind = random_below(8);
        parts[i] = kind == 0 ? 0 : kind == 1 ? 1 : random_between(0, 1);
    }
}

/// Makes up the components of a track. Frames are eighths, so that some are shared.
/// @param has_one_time whether all components have the same keys, handles at the same times
static void random_components(struct component *components, uint32_t count, bool has_one_time,
                              double size)
{
    for (uint32_t c = 0; c < count; c++) {
        struct component *const own = &components[c];
        own->count = 1 + random_below(MOST_KEYS - 1);
        double frame = -3 + random_below(40) / 8.0;
        for (uint32_t i = 0; i < MOST_KEYS; i++) {
            own->keys[i] = (struct key){
                .frame = frame,
                .value = random_between(-size, size),
                .type = (enum type)random_below(5),
            };
            frame += (1 + random_below(80)) / 8.0;
        }
        if (has_one_time && c > 0) {
            own->count = components[0].count;
        }
        for (uint32_t i = 0; i < own->count; i++) {
            struct key *const key = &own->keys[i];
            if (has_one_time) {
                key->frame = components[0].keys[i].frame;
                key->type = BEZIER;
            }
        }
        for (uint32_t i = 0; i + 1 < own->count; i++) {
            const struct key *const first = components[0].keys;
            const double frames = own->keys[i + 1].frame - own->keys[i].frame;
            double parts[2];
            random_parts(parts);
            if (has_one_time && c > 0) {
                parts[0] = first[i].out[0] / frames;
                parts[1] = -first[i + 1].in[0] / frames;
            }
            random_handles(&own->keys[i], &own->keys[i + 1], parts, size);
        }
    }
}

static struct loaded *load_components(const char *target, const struct component *components,
                                      uint32_t count, bool is_old)
{
    char *const text = malloc(TEXT_BYTES);
    put_track(text, target, components, count, is_old);
    struct loaded *const loaded = load(text);
    free(text);
    return loaded;
}

/// Compares a vector with the curves of its components, all over and at the keys themselves. Where
/// a curve jumps or stands upright, the moment is good to 1e-10 s.
static void assert_components(const struct loaded *loaded, const struct component *components,
                              uint32_t count)
{
    const struct scene_track *const track = track_at(loaded, 0);
    for (uint32_t i = 0; i < 600 + track->curve.key_count && i < 1600; i++) {
        const double time_s = i < 600 ? random_between(0, 1) : track->curve.times[i - 600];
        for (uint32_t c = 0; c < count; c++) {
            long double least = INFINITY;
            long double most = -INFINITY;
            for (int side = -1; side <= 1; side++) {
                const long double frame = 1 + (long double)time_s * 30;
                const long double key = roundl(frame * 8) / 8; // which seconds only nearly mean
                const long double value =
                    oracle(&components[c],
                           (fabsl(frame - key) < 1e-9L ? key : frame) + side * 30 * 1e-10L);
                least = fminl(least, value);
                most = fmaxl(most, value);
            }
            const double value = sample(loaded, 0, c, time_s);
            if (!(value >= least - 1e-7L && value <= most + 1e-7L)) {
                fail_msg("component %u is %.12g at %.17g s, not %.12Lg to %.12Lg", c, value, time_s,
                         least, most);
            }
        }
    }
    assert_near(loaded->scene.clips[0].duration_s, 1, 0);
}

static void test_stf_06_both_layouts_give_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct component components[3];
        random_components(components, 3, i % 2 == 0, 2);
        struct loaded *const new = load_components("['n','t']", components, 3, false);
        struct loaded *const old = load_components("['n','t']", components, 3, true);
        const struct scene_curve *const a = &track_at(new, 0)->curve;
        const struct scene_curve *const b = &track_at(old, 0)->curve;
        const size_t bytes = a->key_count * 3 * sizeof(double);
        assert_int_equal(a->key_count, b->key_count);
        assert_memory_equal(a->times, b->times, a->key_count * sizeof(double));
        assert_memory_equal(a->values, b->values, bytes);
        assert_memory_equal(a->interpolations, b->interpolations, a->key_count);
        assert_true((a->in_tangents == NULL) == (b->in_tangents == NULL));
        assert_true((a->handles == NULL) == (b->handles == NULL));
        if (a->in_tangents) {
            assert_memory_equal(a->in_tangents, b->in_tangents, bytes);
            assert_memory_equal(a->out_tangents, b->out_tangents, bytes);
        }
        if (a->handles) {
            assert_memory_equal(a->handles, b->handles, a->key_count * sizeof *a->handles);
        }
        unload(new);
        unload(old);
    }
}

static void test_stf_curve_random_components_each_follow_their_own_curve(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct component components[3];
        random_components(components, 3, false, 2);
        struct loaded *const loaded = load_components("['n','t']", components, 3, i % 2);
        assert_components(loaded, components, 3);
        unload(loaded);
    }
}

static void test_stf_curve_handles_at_equal_times_stay_bezier(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct component components[3];
        random_components(components, 3, true, 2);
        struct loaded *const loaded = load_components("['n','s']", components, 3, i % 2);
        assert_components(loaded, components, 3);
        unload(loaded);
    }
    // Keys where the file has them, and no more.
    struct component same[3];
    for (int c = 0; c < 3; c++) {
        same[c] = (struct component){
            2, {{1, c, BEZIER, {7.5, 0.5 + c}, {0}}, {31, 2 * c, BEZIER, {0}, {-3, 0.25}}}};
    }
    struct loaded *const loaded = load_components("['n','t']", same, 3, false);
    const struct scene_curve *const curve = &track_at(loaded, 0)->curve;
    assert_int_equal(curve->key_count, 2);
    assert_int_equal(curve->interpolations[0], SCENE_BEZIER);
    assert_near(curve->handles[0][0], 0.25L, 0);
    assert_near(curve->handles[0][1], 0.9L, 1e-16);
    assert_near(curve->out_tangents[1], 1 - 1.5L, 0);
    assert_near(curve->in_tangents[4], 2 - 0.25L, 0);
    unload(loaded);
}

// ---- Bezier ------------------------------------------------------------------------------------

static void test_stf_07_bezier_reference_numbers(void **state)
{
    (void)state;
    const struct component one = {2,
                                  {{1, -0.7435536980628967, BEZIER, {2, 0}, {0}},
                                   {16, -0.2216922640800476, BEZIER, {3, 0}, {-3, 0}}}};
    const struct component components[3] = {one, one, one};
    struct loaded *const loaded = load_components("['n','t']", components, 3, false);
    const struct {
        double frame;
        double value;
    } cases[] = {{1, -0.7435536980628967}, {2, -0.7239853},   {4, -0.6528871},
                 {8, -0.4878443},          {8.5, -0.4669955}, {12, -0.3275222},
                 {16, -0.2216922640800476}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_near(sample(loaded, 0, 0, (cases[i].frame - 1) / 30), cases[i].value, 1e-7);
    }
    unload(loaded);
}

static void test_stf_07_tangents_are_taken_from_the_value_or_added(void **state)
{
    (void)state;
    const char *const text =
        "{'loop':'none','fps':1,'range':[0,10],'tracks':[{'target':['m','instance','blendshape',"
        "'Key 1','value'],'timepoints':[0,10],'subtracks':[{'keyframes':[[true,0,'bezier','split',"
        "[3.3333333333333333,-1]],[true,0,'bezier','split',[3,0],[-3.3333333333333333,1]]]}]}]}";
    for (int is_added = 0; is_added < 2; is_added++) {
        struct loaded *const loaded = load_with(text, &(struct extras){.is_added = is_added});
        assert_near(sample(loaded, 0, 0, 2.5), is_added ? -0.28125L : 0.28125L, 1e-12);
        unload(loaded);
    }
}

/// Handles at the key itself, and at the other key, alone and against others.
static void test_stf_07_upright_handles_and_ones_as_long_as_the_interval(void **state)
{
    (void)state;
    const double parts[] = {0, 1, 0.3, 0.9999999};
    for (int i = 0; i < 4 * 4 * 2; i++) {
        struct component components[3];
        for (int c = 0; c < 3; c++) {
            struct component *const own = &components[c];
            *own = (struct component){2, {{1, 0, BEZIER, {0}, {0}}, {31, 1, BEZIER, {0}, {0}}}};
            own->keys[0].out[0] = 30 * parts[i % 4];
            own->keys[1].in[0] = -30 * parts[i / 4 % 4];
            own->keys[0].out[1] = c * 0.25;
            own->keys[1].in[1] = c * -0.5;
        }
        if (i >= 16) { // a handle of its own
            components[2].keys[0].out[0] = 17;
        }
        struct loaded *const loaded = load_components("['n','t']", components, 3, false);
        assert_components(loaded, components, 3);
        unload(loaded);
    }
}

static void test_stf_07_handles_beyond_the_interval_are_shortened(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[1,31],"
             "'subtracks':[{'keyframes':[[true,0,'bezier','split',[60,-1]],"
             "[true,1,'bezier','split',[0,0],[5,0]]]}]}");
    const struct component same = {2,
                                   {{1, 0, BEZIER, {30, -0.5}, {0}}, {31, 1, BEZIER, {0}, {0, 0}}}};
    assert_components(loaded, &same, 1);
    unload(loaded);
}

static void test_stf_07_bezier_without_an_arriving_tangent_arrives_at_its_key(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[1,31],"
             "'subtracks':[{'keyframes':[[true,0,'bezier','split',[10,0.5]],[true,1]]}]}");
    const struct component same = {2,
                                   {{1, 0, BEZIER, {10, 0.5}, {0}}, {31, 1, BEZIER, {0}, {0, 0}}}};
    assert_components(loaded, &same, 1);
    assert_int_equal(loaded->report.warning_count, 0);
    unload(loaded);
}

// ---- Other keys --------------------------------------------------------------------------------

static void test_stf_08_every_interpolation_follows_its_formula(void **state)
{
    (void)state;
    const struct component one = {6,
                                  {{1, 0, CONSTANT, {0}, {0}},
                                   {7, 1, LINEAR, {0}, {0}},
                                   {13, 2, QUADRATIC, {0}, {0}},
                                   {19, -1, CUBIC, {0}, {0}},
                                   {25, 3, BEZIER, {3, 1}, {0}},
                                   {31, 0, LINEAR, {0}, {-1, 2}}}};
    struct loaded *const loaded =
        load_components("['m','instance','blendshape','Key 1','value']", &one, 1, false);
    const uint8_t expected[] = {SCENE_STEP, SCENE_LINEAR, SCENE_CUBIC, SCENE_CUBIC, SCENE_BEZIER};
    const struct scene_curve *const curve = &track_at(loaded, 0)->curve;
    assert_components(loaded, &one, 1);
    assert_int_equal(curve->key_count, 6); // each exactly, by a curve of the scene
    assert_memory_equal(curve->interpolations, expected, sizeof expected);
    assert_near(sample(loaded, 0, 0, 3 / 30.0), 0, 0);
    assert_near(sample(loaded, 0, 0, 9 / 30.0), 1.5L, 1e-15);
    assert_near(sample(loaded, 0, 0, 15 / 30.0), 2 - 3 * 0.25L, 1e-15);
    assert_near(sample(loaded, 0, 0, 21 / 30.0), -1 + 4 * 0.125L, 1e-15);
    unload(loaded);
}

static void test_stf_08_arriving_tangent_counts_after_bezier_alone(void **state)
{
    (void)state;
    struct loaded *const plain =
        load("{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[1,31],"
             "'subtracks':[{'keyframes':[[true,0,'linear'],[true,1,'linear',[-9,5]]]}]}");
    assert_near(sample(plain, 0, 0, 0.5), 0.5L, 1e-15);
    unload(plain);
    struct loaded *const bezier = load(
        "{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[1,31],"
        "'subtracks':[{'keyframes':[[true,0,'bezier',null,[9,0]],[true,1,'linear',[-9,5]]]}]}");
    const struct component same = {2, {{1, 0, BEZIER, {9, 0}, {0}}, {31, 1, BEZIER, {0}, {-9, 5}}}};
    assert_components(bezier, &same, 1);
    unload(bezier);
}

static void test_stf_08_constant_component_jumps_while_others_move(void **state)
{
    (void)state;
    const struct component components[3] = {
        {3, {{1, 0, CONSTANT, {0}, {0}}, {16, 5, CONSTANT, {0}, {0}}, {31, 7, LINEAR, {0}, {0}}}},
        {2, {{1, 0, LINEAR, {0}, {0}}, {31, 3, LINEAR, {0}, {0}}}},
        {2, {{1, 0, BEZIER, {10, 0}, {0}}, {31, 3, LINEAR, {0}, {-20, 1}}}},
    };
    struct loaded *const loaded = load_components("['n','t']", components, 3, false);
    assert_components(loaded, components, 3);
    assert_near(sample(loaded, 0, 0, nextafter(0.5, 0)), 0, 0);
    assert_near(sample(loaded, 0, 0, 0.5), 5, 0);
    assert_near(sample(loaded, 0, 0, nextafter(1, 0)), 5, 0);
    assert_near(sample(loaded, 0, 0, 1), 7, 0);
    unload(loaded);
}

static void test_stf_09_keys_without_a_known_type_go_straight_with_a_warning(void **state)
{
    (void)state;
    const char *const keys[] = {"[[true,0],[true,1]]", "[[true,0],[true,1,[-3,1]]]",
                                "[[true,0,'elastic'],[true,1,'elastic',[-3,1]]]",
                                "[[true,0,'elastic'],[false,0.25,'baked'],[true,1,'linear']]"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[%s],"
                 "'subtracks':[{'keyframes':%s}]}",
                 i == 3 ? "1,16,31" : "1,31", keys[i]);
        struct loaded *const loaded = load(text);
        assert_near(sample(loaded, 0, 0, 0.25), i == 3 ? 0.125L : 0.25L, 1e-15);
        assert_near(sample(loaded, 0, 0, 1), 1, 0);
        assert_true(is_said(loaded, "[stf.animation.interpolation]"));
        unload(loaded);
    }
}

static void test_stf_09_keys_without_a_known_type_use_what_is_baked(void **state)
{
    (void)state;
    const float baked[5] = {0, 10, 5, 5, 1};
    struct loaded *const loaded =
        load_with("{'loop':'none','fps':1,'range':[1,5],'tracks':[{'target':['m','instance',"
                  "'blendshape','Key 1','value'],'timepoints':[1,5],'subtracks':[{'keyframes':"
                  "[[true,0],[true,1]],'baked':0}]}]}",
                  &(struct extras){.baked = {baked}, .baked_counts = {5}});
    assert_near(sample(loaded, 0, 0, 0.5), 5, 0);
    assert_near(sample(loaded, 0, 0, 1.5), 7.5L, 1e-15);
    assert_near(sample(loaded, 0, 0, 4), 1, 0);
    assert_int_equal(loaded->report.warning_count, 0);
    unload(loaded);
}

static void test_stf_09_known_keys_do_not_use_what_is_baked(void **state)
{
    (void)state;
    const float baked[5] = {9, 9, 9, 9, 9};
    struct loaded *const loaded =
        load_with("{'loop':'none','fps':1,'range':[1,5],'tracks':[{'target':['m','instance',"
                  "'blendshape','Key 1','value'],'timepoints':[1,5],'subtracks':[{'keyframes':"
                  "[[true,0,'linear'],[true,1,'linear']],'baked':0}]}]}",
                  &(struct extras){.baked = {baked}, .baked_counts = {5}});
    assert_near(sample(loaded, 0, 0, 2), 0.5L, 1e-15);
    unload(loaded);
}

static void test_stf_10_generated_keys_make_no_corners(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[0,1,11,21,31,"
             "32],'subtracks':[{'keyframes':[[false,77,'baked'],[true,0,'bezier','auto',[10,0.5]],"
             "[false,77,'baked'],[false,-77,'linear'],[true,1,'linear',[-5,0.5]],"
             "[false,77,'baked']]}]}");
    const struct component same = {
        2, {{1, 0, BEZIER, {10, 0.5}, {0}}, {31, 1, LINEAR, {0}, {-5, 0.5}}}};
    assert_components(loaded, &same, 1);
    assert_int_equal(track_at(loaded, 0)->curve.key_count, 2);
    unload(loaded);
    // Where there are no others, they are samples.
    struct loaded *const all =
        load("{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[1,16,31],"
             "'subtracks':[{'keyframes':[[false,0,'baked'],[false,4,'baked'],[false,1]]}]}");
    assert_near(sample(all, 0, 0, 0.25), 2, 1e-15);
    assert_near(sample(all, 0, 0, 0.75), 2.5L, 1e-15);
    assert_int_equal(all->report.warning_count, 0);
    unload(all);
}

static void test_stf_11_what_is_null_or_missing_stays_at_rest(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['n','t'],'timepoints':[1,16,31],'subtracks':[null,{'keyframes':"
             "[[true,1,'linear'],null,[true,3,'linear']]},{'keyframes':[]}]},"
             "{'target':['n','s'],'timepoints':[1,31],'subtracks':[{'keyframes':"
             "[[true,5,'linear'],[true,7,'linear']]}]},"
             "{'target':['posed','instance','b','t'],'timepoints':[1,31],'subtracks':[null,null,"
             "{'keyframes':[null,[true,9,'linear']]}]},"
             "{'target':['posed','instance','b','r'],'timepoints':[1],'subtracks':[{'keyframes':"
             "[[true,0,'linear']]},null,null,null]},"
             "{'target':['posed','instance','b','s'],'timepoints':[],'subtracks':[null,null,null]},"
             "{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[],"
             "'subtracks':[{'keyframes':[]}]}");
    assert_near(sample(loaded, 0, 0, 0.5), 10, 0);
    assert_near(sample(loaded, 0, 1, 0.5), 2, 1e-15); // the null key is none
    assert_near(sample(loaded, 0, 2, 0.5), 30, 0);
    assert_near(sample(loaded, 1, 0, 0.5), 6, 1e-15);
    assert_near(sample(loaded, 1, 1, 0.5), 3, 0);
    assert_near(sample(loaded, 1, 2, 0.5), 4, 0);
    assert_near(sample(loaded, 2, 0, 0.5), 10, 0); // as the instance is posed
    assert_near(sample(loaded, 2, 1, 0.5), 20, 0);
    assert_near(sample(loaded, 2, 2, 0.5), 9, 0);
    assert_near(sample(loaded, 3, 1, 0.5), 0.6L, 1e-15);
    assert_near(sample(loaded, 3, 3, 0.5), 0.8L, 1e-15);
    assert_int_equal(loaded->scene.clips[0].track_count, 4); // the last two say nothing
    unload(loaded);
}

/// Asserts what is said, once, about a track of "Key 1" with these timepoints and subtracks.
static void assert_told(const char *timepoints, const char *subtracks, const char *text)
{
    char tracks[512];
    snprintf(tracks, sizeof tracks,
             "{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[%s],"
             "'subtracks':[%s]}",
             timepoints, subtracks);
    struct loaded *const loaded = load(tracks);
    if (!is_said(loaded, text)) {
        fail_msg("\"%s\" is not among:\n%s", text, loaded->said);
    }
    assert_int_equal(loaded->report.warning_count, 1);
    unload(loaded);
}

static void test_stf_11_what_is_short_empty_or_backward_is_told(void **state)
{
    (void)state;
    assert_told("1,16,31", "{'keyframes':[[true,0,'linear'],[true,1,'linear']]}",
                "tracks[0].subtracks[0].keyframes: 2 keys at 3 timepoints; those without a partner "
                "are left out [stf.animation.timepoints]");
    assert_told("1", "{'keyframes':[[true,0,'linear'],[true,1,'linear']]}",
                "2 keys at 1 timepoints;");
    assert_told("1,31", "null", "tracks[0]: has no key; the track is left out [stf.animation.e");
    assert_told("1,31", "{'keyframes':[null,null]}", "has no key;");
    assert_told("1,31", "{'keyframes':[[true,0,'bezier'],[true,1,'bezier']]}",
                "tracks[0].subtracks[0]: the bezier key at frame 1 has no leaving tangent; taken "
                "for [0, 0] [stf.animation.tangent]");
    const char *const keys[] = {"[true,0,'bezier','auto',[-3,1]],[true,1,'linear',[-3,1]]",
                                "[true,0,'bezier','auto',[3,1]],[true,1,'linear',[3,1]]"};
    for (int i = 0; i < 2; i++) {
        char subtrack[256];
        snprintf(subtrack, sizeof subtrack, "{'keyframes':[%s]}", keys[i]);
        assert_told("1,31", subtrack,
                    "tracks[0].subtracks[0]: a tangent between frames 1 and 31 points out of "
                    "there; its x is taken for 0 [stf.animation.tangent]");
    }
    struct loaded *const turned =
        load("{'target':['n','r'],'timepoints':[1],'subtracks':[{'keyframes':"
             "[[true,0,'linear']]},null,null]}");
    assert_int_equal(turned->report.warning_count, 1);
    assert_true(is_said(turned, "tracks[0]: a rotation has 3 subtracks, not 4; the others rest "
                                "[stf.animation.subtracks]"));
    unload(turned);
}

static void test_stf_11_too_many_subtracks_are_left_out_with_a_warning(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['n','t'],'timepoints':[1],'subtracks':[null,null,null,{'keyframes':"
             "[[true,1,'linear']]}]},{'target':['n','s'],'timepoints':[1],'subtracks':[]}");
    assert_int_equal(loaded->scene.clips[0].track_count, 0);
    assert_int_equal(loaded->report.warning_count, 2);
    assert_true(is_said(loaded, "[stf.animation.subtracks]"));
    unload(loaded);
}

static void test_stf_11_keys_that_are_none_cost_their_track_alone(void **state)
{
    (void)state;
    const char *const keys[] = {"7",
                                "[]",
                                "[1,2]",
                                "[true,'x']",
                                "[true,1,'bezier','auto',[1]]",
                                "[true,1,'bezier','auto',[1,null]]",
                                "[true,1e300]"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{'loop':'none','fps':30,'range':[1,31],'tracks':[{'target':['n','t'],"
                 "'timepoints':[1],'subtracks':[{'keyframes':[%s]}]},{'target':['n','s'],"
                 "'timepoints':[1],'subtracks':[{'keyframes':[[true,1,'linear']]}]}]}",
                 keys[i]);
        struct loaded *const loaded = load_with(text, &(struct extras){0});
        assert_int_equal(loaded->scene.clips[0].track_count, 1);
        assert_int_equal(track_at(loaded, 0)->path, SCENE_SCALE);
        assert_int_equal(loaded->report.error_count, 0);
        assert_int_equal(loaded->report.warning_count, 1);
        assert_true(is_said(loaded, "keyframes[0]"));
        assert_true(is_said(loaded, "; the track is left out ["));
        unload(loaded);
    }
}

static void test_stf_11_tracks_that_are_none_cost_nothing_else(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("7,{'target':['n','t']},{'target':['n','t'],'subtracks':[{'keyframes':7}]},"
             "{'target':['n','t'],'track_baked':1,'timepoints':[1],'subtracks':[null]},"
             "{'target':['m','instance','material','0','x','0','color'],'timepoints':[1],"
             "'subtracks':[{'keyframes':[[true,1e39,'linear']]}]},"
             "{'target':['m','instance','material','0','y','0','color'],'timepoints':[1],"
             "'subtracks':[{'keyframes':[[true,1,'linear']]}]}");
    assert_int_equal(loaded->scene.clips[0].track_count, 1);
    assert_int_equal(loaded->scene.property_count, 1);
    assert_string_equal(loaded->scene.properties[0].path, "/m/instance/material/0/y/0/color");
    assert_int_equal(loaded->report.warning_count, 5);
    assert_int_equal(loaded->report.error_count, 0);
    unload(loaded);
}

static void test_stf_11_buffer_that_is_not_there_is_no_loss_where_keys_are(void **state)
{
    (void)state;
    struct loaded *const loaded = load(
        "{'target':['n','t'],'timepoints':[1,31],'subtracks':[{'keyframes':[[true,1,'linear'],"
        "[true,3,'linear']],'baked':'nowhere'}]},"
        "{'target':['n','r'],'timepoints':[1],'subtracks':[null,{'keyframes':[[true,1,'linear']],"
        "'baked':'nowhere'},null,null]},"
        "{'target':['n','s'],'timepoints':[1,31],'subtracks':[{'keyframes':[[true,1],[true,3]],"
        "'baked':'nowhere'}]},"
        "{'target':['posed','t'],'timepoints':[],'subtracks':['nowhere']}");
    assert_int_equal(loaded->scene.clips[0].track_count, 2);
    assert_near(sample(loaded, 0, 0, 0.5), 2, 1e-15);
    assert_int_equal(track_at(loaded, 1)->path, SCENE_ROTATION);
    assert_int_equal(loaded->report.warning_count, 6);
    assert_true(is_said(loaded, "there is no buffer nowhere; keys are used alone"));
    assert_true(is_said(loaded, "keys alone do not say how this goes; the track is left out"));
    unload(loaded);
}

// ---- Baked values ------------------------------------------------------------------------------

static void test_stf_12_baked_values_lie_on_whole_frames(void **state)
{
    (void)state;
    const struct {
        double range[2];
        uint32_t count;
        double first_s; // of the first sample that lies in the range
        uint32_t first;
    } cases[] = {{{1, 16}, 16, 0, 0}, {{0.5, 3.2}, 4, 0.5, 1}};
    for (size_t i = 0; i < 2; i++) {
        float baked[32];
        for (int k = 0; k < 32; k++) {
            baked[k] = (float)(k * k);
        }
        char text[512];
        snprintf(text, sizeof text,
                 "{'loop':'none','fps':1,'range':[%g,%g],'tracks':[{'target':['m','instance',"
                 "'blendshape','Key 1','value'],'timepoints':[],'subtracks':[{'keyframes':[],"
                 "'baked':0}]}]}",
                 cases[i].range[0], cases[i].range[1]);
        // One more than there should be, which is not used.
        struct loaded *const loaded = load_with(
            text, &(struct extras){.baked = {baked}, .baked_counts = {cases[i].count + 1}});
        for (uint32_t k = cases[i].first; k < cases[i].count; k++) {
            assert_near(sample(loaded, 0, 0, cases[i].first_s + k - cases[i].first), k * k, 1e-14);
        }
        const double end = loaded->scene.clips[0].duration_s;
        const uint32_t last = cases[i].count - 1;
        assert_near(end, cases[i].range[1] - cases[i].range[0], 0);
        assert_near(sample(loaded, 0, 0, end), last * last, 1e-12);
        assert_near(sample(loaded, 0, 0, 0), i == 0 ? 0 : 0.5L, 1e-14); // cut, not moved
        unload(loaded);
    }
}

static void test_stf_12_rotations_use_baked_values_of_all_components(void **state)
{
    (void)state;
    const float half = 0.70710678f;
    const float x[3] = {0, 0, 0};
    const float y[3] = {0, -half, 1}; // the signs of the second one are the other way
    const float w[3] = {1, -half, 0};
    const char *const text =
        "{'loop':'none','fps':1,'range':[0,2],'tracks':[{'target':['n','r'],'timepoints':[0,2],"
        "'subtracks':[{'keyframes':[[true,0,'linear'],[true,0.6,'linear']],'baked':0},"
        "{'keyframes':[[true,0,'linear'],[true,0,'linear']],'baked':1},null,"
        "{'keyframes':[[true,1,'linear'],[true,0.8,'linear']]%s}]}]}";
    for (int has_all = 0; has_all < 2; has_all++) {
        char own[1024];
        snprintf(own, sizeof own, text, has_all ? ",'baked':2" : "");
        struct loaded *const loaded =
            load_with(own, &(struct extras){.baked = {x, y, w}, .baked_counts = {3, 3, 3}});
        if (has_all) {
            const long double eighth = acosl(-1) / 8;
            assert_near(sample(loaded, 0, 1, 0.5), sinl(eighth), 1e-7);
            assert_near(sample(loaded, 0, 3, 0.5), cosl(eighth), 1e-7);
            assert_near(fabs(sample(loaded, 0, 1, 1.5)), sinl(3 * eighth), 1e-7);
        } else { // one is missing: the keys
            assert_near(sample(loaded, 0, 0, 2), 0.6L, 1e-15);
        }
        unload(loaded);
    }
}

static void test_stf_12_baked_values_that_are_no_numbers_are_not_used(void **state)
{
    (void)state;
    const float baked[3] = {1, NAN, 3};
    struct loaded *const loaded = load_with(
        "{'loop':'none','fps':1,'range':[0,2],'tracks':[{'target':['m','instance','blendshape',"
        "'Key 1','value'],'timepoints':[0,2],'subtracks':[{'keyframes':[[true,5],[true,6]],"
        "'baked':0}]}]}",
        &(struct extras){.baked = {baked}, .baked_counts = {3}});
    assert_near(sample(loaded, 0, 0, 1), 5.5L, 1e-15);
    assert_true(is_said(loaded, "[stf.animation.baked]"));
    unload(loaded);
}

// ---- Time --------------------------------------------------------------------------------------

static void test_stf_13_time_starts_at_the_range_and_keys_outside_count(void **state)
{
    (void)state;
    const struct component one = {3,
                                  {{-9, 1, BEZIER, {4, 1}, {0}},
                                   {11, 3, BEZIER, {15, 1}, {-8, 2}},
                                   {51, 0, LINEAR, {0}, {-20, 1}}}};
    struct loaded *const loaded =
        load_components("['m','instance','blendshape','Key 1','value']", &one, 1, false);
    const struct scene_curve *const curve = &track_at(loaded, 0)->curve;
    assert_components(loaded, &one, 1);
    assert_int_equal(curve->key_count, 3);
    assert_near(curve->times[0], 0, 0);
    assert_near(curve->times[1], 1 / 3.0L, 1e-15);
    assert_near(curve->times[2], 1, 0);
    assert_int_equal(curve->interpolations[0], SCENE_BEZIER); // cut, and still the same
    assert_int_equal(curve->interpolations[1], SCENE_BEZIER);
    unload(loaded);
    // All keys before or after the range: what is held there.
    struct loaded *const beyond =
        load("{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[40,50],"
             "'subtracks':[{'keyframes':[[true,5,'linear'],[true,7,'linear']]}]},"
             "{'target':['m','instance','blendshape','still','value'],'timepoints':[-40,-30],"
             "'subtracks':[{'keyframes':[[true,5,'linear'],[true,7,'linear']]}]}");
    assert_int_equal(track_at(beyond, 0)->curve.key_count, 1);
    assert_near(sample(beyond, 0, 0, 0.5), 5, 0);
    assert_near(sample(beyond, 1, 0, 0.5), 7, 0);
    unload(beyond);
}

static void test_stf_13_frames_out_of_order_are_left_out_with_a_warning(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[1,31,11,31],"
             "'subtracks':[{'keyframes':[[true,0,'linear'],[true,1,'linear'],[true,9,'linear'],"
             "[true,9,'linear']]}]}");
    assert_near(sample(loaded, 0, 0, 0.5), 0.5L, 1e-15);
    assert_true(is_said(loaded, "[stf.animation.order]"));
    unload(loaded);
}

static void test_stf_14_baked_tracks_stay_and_others_too(void **state)
{
    (void)state;
    struct loaded *const loaded = load_with(
        "{'loop':'none','fps':1,'range':[0,4],'tracks':["
        "{'target':['n','t'],'timepoints':[0],'subtracks':[{'keyframes':[[true,99,'linear']]}]},"
        "{'target':['n','s'],'timepoints':[0],'subtracks':[{'keyframes':[[true,9,'linear']]}]},"
        "{'target':['m','instance','blendshape','Key 1','value'],'timepoints':[0],"
        "'subtracks':[{'keyframes':[[true,99,'linear']]}]}],"
        "'tracks_baked':[{'target':['n','t'],'track_baked':true,'timepoints':[0,1,2,3],"
        "'subtracks':[{'keyframes':[[false,1],[false,2],[false,4],[false,8]]},null,null]},"
        "{'target':['m','instance','blendshape','Key 1','value'],'track_baked':true,"
        "'timepoints':[0,1],'subtracks':[{'keyframes':[[true,3],[true,5]]}]}]}",
        &(struct extras){0});
    const struct scene_clip *const clip = &loaded->scene.clips[0];
    assert_true(loaded->ok);
    assert_int_equal(clip->track_count, 3);
    assert_int_equal(loaded->report.warning_count, 0);
    assert_near(sample(loaded, 0, 0, 1.5), 3, 1e-15);
    assert_near(sample(loaded, 0, 0, 4), 8, 0); // the last frame is held
    assert_near(sample(loaded, 1, 0, 0.5), 4, 1e-15);
    assert_int_equal(clip->tracks[2].path, SCENE_SCALE);
    assert_near(sample(loaded, 2, 0, 0), 9, 0);
    assert_near(clip->duration_s, 4, 0);
    unload(loaded);
}

static void test_stf_15_loops_and_ranges(void **state)
{
    (void)state;
    const struct {
        const char *loop;
        enum scene_play play;
    } cases[] = {{"none", SCENE_PLAY_ONCE},
                 {"loop", SCENE_PLAY_LOOP},
                 {"pingpong", SCENE_PLAY_PING_PONG},
                 {"what", SCENE_PLAY_ONCE}};
    const char *const track = "{'target':['n','t'],'timepoints':[1,3],'subtracks':[{'keyframes':"
                              "[[true,1,'linear'],[true,3,'linear']]}]}";
    for (size_t i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof text, "{'loop':'%s','fps':24,'range':[2,2],'tracks':[%s]}",
                 cases[i].loop, track);
        struct loaded *const loaded = load_with(text, &(struct extras){0});
        assert_true(loaded->ok);
        assert_int_equal(loaded->scene.clips[0].play, cases[i].play);
        assert_near(loaded->scene.clips[0].duration_s, 0, 0);
        assert_int_equal(is_said(loaded, "loop \"what\" is unknown; played once"), i == 3);
        assert_int_equal(track_at(loaded, 0)->curve.key_count, 1);
        assert_near(sample(loaded, 0, 0, 0), 2, 1e-15);
        unload(loaded);
    }
    const char *const wrong[] = {"'fps':0,'range':[1,2]", "'fps':-1,'range':[1,2]",
                                 "'fps':24,'range':[2,1]", "'fps':24,'range':[1]", "'fps':24"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512];
        snprintf(text, sizeof text, "{'loop':'none',%s,'tracks':[]}", wrong[i]);
        struct loaded *const loaded = load_with(text, &(struct extras){0});
        assert_false(loaded->ok);
        assert_int_equal(loaded->report.exit_code, TROUPE_EXIT_INPUT);
        unload(loaded);
    }
    struct loaded *const no_rate =
        load_with("{'loop':'none','range':[0,30],'tracks':[]}", &(struct extras){0});
    assert_near(no_rate->scene.clips[0].duration_s, 1, 0);
    assert_true(is_said(no_rate, "[stf.animation.fps]"));
    unload(no_rate);
}

// ---- Rotations ---------------------------------------------------------------------------------

/// Components as given, normalised; false where they nearly vanish and say nothing.
static bool oracle_rotation(const struct component *components, double time_s, long double out[4])
{
    long double square = 0;
    for (int c = 0; c < 4; c++) {
        out[c] = oracle(&components[c], 1 + (long double)time_s * 30);
        square += out[c] * out[c];
    }
    for (int c = 0; c < 4; c++) {
        out[c] /= sqrtl(square);
    }
    return square > 0.0625L;
}

static void assert_rotation(const struct loaded *loaded, const struct component *components,
                            double time_s, double tolerance)
{
    const struct scene_track *const track = track_at(loaded, 0);
    long double truth[4];
    long double same = 0;
    long double opposite = 0;
    double out[4];
    double square = 0;
    scene_curve_sample(&track->curve, SCENE_ROTATION, time_s, out);
    for (int c = 0; c < 4; c++) {
        square += out[c] * out[c];
    }
    assert_near(square, 1, 1e-14);
    if (!oracle_rotation(components, time_s, truth)) {
        return;
    }
    for (int c = 0; c < 4; c++) {
        same = fmaxl(same, fabsl(out[c] - truth[c]));
        opposite = fmaxl(opposite, fabsl(out[c] + truth[c]));
    }
    assert_near(0, same < opposite ? same : opposite, tolerance);
}

static void test_stf_16_random_rotations_are_their_components_normalised(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct component components[4];
        random_components(components, 4, i % 4 == 1, 1);
        if (i % 4 == 3) { // unit keys, one time
            for (int c = 1; c < 4; c++) {
                components[c] = components[0];
            }
            for (uint32_t k = 0; k < components[0].count; k++) {
                double q[4];
                double square = 0;
                for (int c = 0; c < 4; c++) {
                    q[c] = random_between(-1, 1);
                    square += q[c] * q[c];
                }
                for (int c = 0; c < 4; c++) {
                    components[c].keys[k].value = q[c] / sqrt(square);
                    components[c].keys[k].out[1] = random_between(-1, 1);
                }
            }
        }
        struct loaded *const loaded = load_components("['n','r']", components, 4, false);
        for (int k = 0; k < 400; k++) {
            assert_rotation(loaded, components, random_between(0, 1), 1e-7);
        }
        unload(loaded);
    }
}

static void test_stf_16_keys_of_opposite_signs_keep_them(void **state)
{
    (void)state;
    // From q to -q in a straight line: no rotation at all, though it passes through zero.
    struct component components[4];
    const double q[4] = {0.5, -0.5, 0.5, 0.5};
    for (int c = 0; c < 4; c++) {
        components[c] =
            (struct component){2, {{1, q[c], LINEAR, {0}, {0}}, {31, -q[c], LINEAR, {0}, {0}}}};
    }
    struct loaded *const straight = load_components("['n','r']", components, 4, false);
    for (int k = 0; k <= 60; k++) {
        const double time_s = k / 60.0;
        const double sign = time_s < 0.5 ? 1 : -1;
        for (uint32_t c = 0; c < 4 && fabs(time_s - 0.5) > 1e-9; c++) {
            assert_near(sample(straight, 0, c, time_s), sign * q[c], 1e-9);
        }
        double out[4];
        scene_curve_sample(&track_at(straight, 0)->curve, SCENE_ROTATION, time_s, out);
        assert_near(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3], 1,
                    1e-14);
    }
    unload(straight);
    // The long way: components say so.
    const double far[4] = {0, 0, -0.6, -0.8};
    for (int c = 0; c < 4; c++) {
        components[c].keys[0].value = c == 3;
        components[c].keys[1].value = far[c];
    }
    struct loaded *const long_way = load_components("['n','r']", components, 4, false);
    assert_near(sample(long_way, 0, 2, 0.5), -0.3L / sqrtl(0.09L + 0.01L), 1e-7);
    assert_near(sample(long_way, 0, 3, 1), -0.8L, 1e-15);
    unload(long_way);
}

static void test_stf_16_rotation_of_zeros_is_none(void **state)
{
    (void)state;
    struct component components[4];
    for (int c = 0; c < 4; c++) {
        components[c] = (struct component){3,
                                           {{1, 0, CONSTANT, {0}, {0}},
                                            {11, 0, LINEAR, {0}, {0}},
                                            {31, c == 0, LINEAR, {0}, {0}}}};
    }
    struct loaded *const loaded = load_components("['n','r']", components, 4, false);
    assert_near(sample(loaded, 0, 3, 0), 1, 0);
    assert_near(sample(loaded, 0, 3, 0.2), 1, 0);
    assert_near(sample(loaded, 0, 0, 0.5), 1, 1e-8);
    unload(loaded);
}

// ---- Targets -----------------------------------------------------------------------------------

static void test_stf_17_blendshapes_are_found_by_name(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['m','instance','blendshape','a.b/c~d \\'q\\'','value'],"
             "'timepoints':[1],'subtracks':[{'keyframes':[[true,1.5,'linear']]}]},"
             "{'target':['m','instance','blendshape','nobody','value'],'timepoints':[1],"
             "'subtracks':[{'keyframes':[[true,1,'linear']]}]}");
    assert_int_equal(loaded->scene.clips[0].track_count, 1);
    assert_int_equal(loaded->report.warning_count, 1);
    assert_int_equal(loaded->scene.property_count, 1);
    assert_string_equal(loaded->scene.properties[0].labels[0], "a.b/c~d \"q\"");
    assert_string_equal(loaded->scene.properties[0].path,
                        "/m/instance/blendshape/a.b~1c~0d \"q\"/value");
    assert_near(loaded->scene.properties[0].defaults[0], 0.5L, 0);
    assert_near(sample(loaded, 0, 0, 0), 1.5L, 0);
    unload(loaded);
}

static void test_stf_17_two_tracks_for_one_thing_are_told(void **state)
{
    (void)state;
    struct loaded *const loaded = load(
        "{'target':['n','t'],'timepoints':[1],'subtracks':[{'keyframes':[[true,1,'linear']]}]},"
        "{'target':['n','t'],'timepoints':[1],'subtracks':[{'keyframes':[[true,2,'linear']]}]},"
        "{'target':['n','r_euler'],'timepoints':[1],'subtracks':[{'keyframes':"
        "[[true,1,'linear']]}]},"
        "{'target':['n','r'],'timepoints':[1],'subtracks':[{'keyframes':[[true,1,'linear']]},"
        "{'keyframes':[[true,0,'linear']]},{'keyframes':[[true,0,'linear']]},"
        "{'keyframes':[[true,0,'linear']]}]}");
    assert_int_equal(loaded->scene.clips[0].track_count, 2);
    assert_near(sample(loaded, 0, 0, 0), 1, 0);
    assert_near(sample(loaded, 1, 0, 0), 1, 0); // the quaternion
    assert_true(is_said(loaded, "[stf.animation.duplicate]"));
    unload(loaded);
}

static void test_stf_7_time_that_nearly_stands_still_is_no_bezier(void **state)
{
    (void)state;
    // Handles of 0.99 and 0.01 are no floats; those of 1 and 0 are.
    const double handles[2] = {29.7, 30};
    for (int i = 0; i < 2; i++) {
        const struct component component = {
            2, {{1, 0, BEZIER, {handles[i], -1}, {0}}, {31, 1, LINEAR, {0}, {-handles[i], 1}}}};
        struct loaded *const loaded =
            load_components("['m','instance','blendshape','Key 1','value']", &component, 1, false);
        const struct scene_curve *const curve = &track_at(loaded, 0)->curve;
        assert_int_equal(curve->interpolations[0], i == 0 ? SCENE_CUBIC : SCENE_BEZIER);
        assert_components(loaded, &component, 1);
        unload(loaded);
    }
}

static void test_stf_16_rotation_that_turns_over_is_held(void **state)
{
    (void)state;
    struct component components[4];
    for (int c = 0; c < 4; c++) {
        components[c] = (struct component){
            2, {{1, c == 0, LINEAR, {0}, {0}}, {31, c == 0 ? -1 : 0, LINEAR, {0}, {0}}}};
    }
    struct loaded *const loaded = load_components("['n','r']", components, 4, false);
    const struct scene_curve *const curve = &track_at(loaded, 0)->curve;
    uint32_t turned = 0;
    for (uint32_t i = 0; i + 1 < curve->key_count; i++) {
        if (curve->values[4 * i] * curve->values[4 * i + 4] < 0) {
            assert_int_equal(curve->interpolations[i], SCENE_STEP);
            turned++;
        }
    }
    assert_int_equal(turned, 1);
    unload(loaded);
}

static double sample_clip(const struct loaded *loaded, uint32_t clip, uint32_t component,
                          double time_s)
{
    double out[STF_MOST_VALUES];
    const struct scene_track *const track = &loaded->scene.clips[clip].tracks[0];
    scene_curve_sample(&track->curve, track->path, time_s, out);
    return out[component];
}

static void test_stf_17_short_colours_rest_where_they_are_short(void **state)
{
    (void)state;
    // The second of them moves all kinds of ways; one of the first's three says nothing.
    const char *const texts[2] = {
        "{'loop':'none','fps':30,'range':[1,31],'tracks':[{'target':['m','instance','material',"
        "'0','p','0','color'],'timepoints':[1,31],'subtracks':[{'keyframes':[[true,0.125,'linear'],"
        "[true,0.5,'linear']]},{'keyframes':[[true,0.25,'linear'],[true,0.5,'linear']]},"
        "{'keyframes':[[true,0.5,'linear'],[true,0.75,'linear']]}]}]}",
        "{'loop':'none','fps':30,'range':[1,31],'tracks':[{'target':['m','instance','material',"
        "'0','p','0','color'],'timepoints':[1,11,16,21,31],'subtracks':[{'keyframes':["
        "[true,0,'bezier','auto',[5,0.5]],[true,1,'quadratic',[-5,0]],[true,2,'linear'],"
        "[true,0,'constant'],[true,1,'linear']]},null]}]}",
    };
    const double expected[][2] = {{0, 0}, {10 / 30.0, 1}, {15 / 30.0, 2}, {20 / 30.0, 0}, {1, 1}};
    for (uint32_t first = 0; first < 2; first++) {
        struct loaded *const loaded =
            load_with(texts[first], &(struct extras){.other = texts[1 - first]});
        assert_true(loaded->ok);
        assert_int_equal(loaded->report.warning_count, 0);
        assert_int_equal(loaded->scene.property_count, 1);
        const struct scene_property *const property = &loaded->scene.properties[0];
        assert_int_equal(property->value_count, 3);
        assert_near(property->defaults[0], first == 0 ? 0.125L : 0, 0);
        assert_near(property->defaults[1], 0.25L, 0);
        assert_near(property->defaults[2], 0.5L, 0);
        const uint32_t whole = first;
        const uint32_t part = 1 - first;
        assert_near(sample_clip(loaded, whole, 0, 1), 0.5L, 0);
        assert_near(sample_clip(loaded, whole, 1, 0.5), 0.375L, 1e-15);
        assert_near(sample_clip(loaded, whole, 2, 1), 0.75L, 0);
        for (int i = 0; i < 5; i++) {
            assert_near(sample_clip(loaded, part, 0, expected[i][0]), expected[i][1], 1e-12);
        }
        for (int i = 0; i <= 100; i++) {
            assert_near(sample_clip(loaded, part, 1, i / 100.0), 0.25L, 1e-15);
            assert_near(sample_clip(loaded, part, 2, i / 100.0), 0.5L, 1e-15);
        }
        unload(loaded);
    }
}

static void test_stf_17_colours_have_as_many_values_as_the_file_says(void **state)
{
    (void)state;
    struct loaded *const loaded = load_with(
        "{'loop':'none','fps':30,'range':[1,31],'tracks':[{'target':['n','components','reset',"
        "'x'],'timepoints':[1,31],'subtracks':[null,{'keyframes':[[true,0,'linear'],"
        "[true,1,'linear']]}]}]}",
        &(struct extras){.other = "{'type':'example.light','x':[0.25,0.5,0.75]}"});
    assert_true(loaded->ok);
    assert_int_equal(loaded->scene.properties[0].value_count, 3);
    const double rests[3] = {0.25, 0.5, 0.75};
    assert_memory_equal(loaded->scene.properties[0].defaults, rests, sizeof rests);
    assert_near(sample(loaded, 0, 0, 0.5), 0.25L, 1e-15);
    assert_near(sample(loaded, 0, 1, 0.25), 0.25L, 1e-15);
    assert_near(sample(loaded, 0, 2, 0.5), 0.75L, 1e-15);
    unload(loaded);
}

static void test_stf_17_too_many_values_are_left_out(void **state)
{
    (void)state;
    for (uint32_t count = STF_MOST_VALUES; count <= STF_MOST_VALUES + 1; count++) {
        char text[2048];
        int bytes = snprintf(text, sizeof text,
                             "{'target':['m','instance','material','0','p','0','color'],"
                             "'timepoints':[1],'subtracks':[{'keyframes':[[true,1,'linear']]}");
        for (uint32_t i = 1; i < count; i++) {
            bytes += snprintf(text + bytes, sizeof text - (size_t)bytes, ",null");
        }
        snprintf(text + bytes, sizeof text - (size_t)bytes, "]}");
        struct loaded *const loaded = load(text);
        assert_int_equal(loaded->scene.clips[0].track_count, count == STF_MOST_VALUES);
        assert_int_equal(is_said(loaded, "65 subtracks"), count > STF_MOST_VALUES);
        unload(loaded);
    }
}

static void test_stf_17_generated_tracks_win(void **state)
{
    (void)state;
    const char *const targets[] = {"'n','t'", "'m','instance','blendshape','Key 1','value'"};
    for (int i = 0; i < 4; i++) {
        char tracks[2][256];
        char text[1024];
        for (int k = 0; k < 2; k++) {
            snprintf(tracks[k], sizeof tracks[k],
                     "{'target':[%s],'timepoints':[1],%s'subtracks':[{'keyframes':[[true,%d,"
                     "'linear']]}]}",
                     targets[i / 2], k == 0 ? "'track_baked':true," : "", k == 0 ? 5 : 6);
        }
        snprintf(text, sizeof text, "%s,%s", tracks[i % 2], tracks[1 - i % 2]);
        struct loaded *const loaded = load(text);
        assert_int_equal(loaded->scene.clips[0].track_count, 1);
        assert_near(sample(loaded, 0, 0, 0), 5, 0);
        assert_int_equal(loaded->report.warning_count, 0);
        unload(loaded);
        // What is in a list of its own goes before both.
        snprintf(text, sizeof text,
                 "{'loop':'none','fps':30,'range':[1,31],'tracks':[%s],'tracks_baked':["
                 "{'target':[%s],'timepoints':[1],'subtracks':[{'keyframes':[[true,7,'linear']]}]"
                 "}]}",
                 tracks[i % 2], targets[i / 2]);
        struct loaded *const listed = load_with(text, &(struct extras){0});
        assert_int_equal(listed->scene.clips[0].track_count, 1);
        assert_near(sample(listed, 0, 0, 0), 7, 0);
        unload(listed);
    }
}

static void test_stf_18_angles_that_turn_too_often_are_left_out(void **state)
{
    (void)state;
    const double turns[3] = {255, 257, 1e6};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{'target':['n','r_euler'],'timepoints':[1,31],'subtracks':[{'keyframes':"
                 "[[true,0,'linear'],[true,%.17g,'linear']]}]},"
                 "{'target':['n','t'],'timepoints':[1],'subtracks':[{'keyframes':"
                 "[[true,1,'linear']]}]}",
                 turns[i] * 6.283185307179586);
        struct loaded *const loaded = load(text);
        assert_int_equal(loaded->scene.clips[0].track_count, i == 0 ? 2 : 1);
        assert_int_equal(is_said(loaded, "turn more than 256 times"), i > 0);
        assert_int_equal(loaded->report.error_count, 0);
        unload(loaded);
    }
    // A handle makes a curve turn too.
    struct loaded *const loaded =
        load("{'target':['n','r_euler'],'timepoints':[1,31],'subtracks':[{'keyframes':"
             "[[true,0,'bezier','auto',[10,-5000]],[true,0,'linear',[-10,0]]]}]}");
    assert_int_equal(loaded->scene.clips[0].track_count, 0);
    unload(loaded);
}

static void test_stf_18_keys_beyond_the_budget_of_a_file_are_refused(void **state)
{
    (void)state;
    char *const text = malloc(TEXT_BYTES);
    size_t bytes = (size_t)sprintf(text, "{'loop':'none','fps':30,'range':[0,64],'tracks':["
                                         "{'target':['n','r_euler'],'timepoints':[0");
    for (int i = 1; i <= 64; i++) {
        bytes += (size_t)sprintf(text + bytes, ",%d", i);
    }
    bytes += (size_t)sprintf(text + bytes, "],'subtracks':[{'keyframes':[[true,0,'linear']");
    for (int i = 1; i <= 64; i++) {
        bytes += (size_t)sprintf(text + bytes, ",[true,%d,'linear']", i % 2 * 1600);
    }
    sprintf(text + bytes, "]}]}]}");
    struct loaded *const loaded = load_with(text, &(struct extras){0});
    assert_false(loaded->ok);
    assert_int_equal(loaded->report.exit_code, TROUPE_EXIT_UNSUPPORTED);
    assert_true(is_said(loaded, "error: resources.a.tracks[0]"));
    assert_true(is_said(loaded, "[stf.limit]"));
    unload(loaded);
    free(text);
}

/// A turn about one axis after another, q first.
static void turn_about(long double q[4], int axis, long double angle)
{
    const long double s = sinl(angle / 2);
    const long double w = cosl(angle / 2);
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    const long double old[4] = {q[0], q[1], q[2], q[3]};
    q[axis] = w * old[axis] + s * old[3];
    q[j] = w * old[j] - s * old[k];
    q[k] = w * old[k] + s * old[j];
    q[3] = w * old[3] - s * old[axis];
}

static void test_stf_18_angles_are_those_of_the_editor(void **state)
{
    (void)state;
    // In the editor (z up): 0.1 about x, then 0.2 about y, then 0.3 about z. Its own quaternion is
    // w 0.98334744, x 0.03427080, y 0.10602051, z 0.14357218. Files have x, -z, -y of the angles,
    // and x, z, -y of the quaternion's axis.
    struct loaded *const known =
        load("{'target':['n','r_euler'],'timepoints':[1],'subtracks':[{'keyframes':"
             "[[true,0.1,'linear']]},{'keyframes':[[true,-0.3,'linear']]},{'keyframes':"
             "[[true,-0.2,'linear']]}]}");
    const double expected[4] = {0.03427080, 0.14357218, -0.10602051, 0.98334744};
    for (uint32_t c = 0; c < 4; c++) {
        assert_near(sample(known, 0, c, 0), expected[c], 1e-7);
    }
    assert_true(is_said(known, "[stf.euler]"));
    unload(known);
    // Between keys the angles move, each along its own curve.
    for (int i = 0; i < 12; i++) {
        struct component components[3];
        random_components(components, 3, i % 2, 3);
        struct loaded *const loaded = load_components("['n','r_euler']", components, 3, false);
        for (int k = 0; k < 300; k++) {
            const double time_s = random_between(0, 1);
            const long double frame = 1 + (long double)time_s * 30;
            long double truth[4] = {0, 0, 0, 1};
            turn_about(truth, 0, oracle(&components[0], frame));
            turn_about(truth, 2, oracle(&components[2], frame));
            turn_about(truth, 1, -oracle(&components[1], frame));
            long double dot = 0;
            for (uint32_t c = 0; c < 4; c++) {
                dot += truth[c] * sample(loaded, 0, c, time_s);
            }
            for (uint32_t c = 0; c < 4; c++) {
                assert_near(sample(loaded, 0, c, time_s), dot < 0 ? -truth[c] : truth[c], 5e-7);
            }
        }
        unload(loaded);
    }
}

static void test_stf_18_angles_without_keys_keep_those_of_the_rest(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['n','r_euler'],'timepoints':[1],'subtracks':[{'keyframes':"
             "[[true,0,'linear']]},null,null]}");
    for (uint32_t c = 0; c < 4; c++) { // it turns about y alone
        assert_near(sample(loaded, 0, c, 0), rest.rotation[c], 1e-15);
    }
    unload(loaded);
}

static void test_stf_18_switches_change_at_keys(void **state)
{
    (void)state;
    struct loaded *const loaded =
        load("{'target':['n','enabled'],'timepoints':[-9,11,21,41],'subtracks':[{'keyframes':"
             "[[true,1,'constant'],[true,0.5,'linear'],[true,0.75,'bezier','auto',[1,0]],"
             "[true,0,'constant']]}]}");
    const struct scene_curve *const curve = &track_at(loaded, 0)->curve;
    assert_int_equal(loaded->scene.properties[0].type, SCENE_BOOL);
    assert_near(sample(loaded, 0, 0, 0), 1, 0);
    assert_near(sample(loaded, 0, 0, 0.32), 1, 0);
    assert_near(sample(loaded, 0, 0, 0.34), 0, 0);
    assert_near(sample(loaded, 0, 0, 0.65), 0, 0);
    assert_near(sample(loaded, 0, 0, 0.67), 1, 0);
    assert_near(sample(loaded, 0, 0, 1), 1, 0); // the key after the range is not reached
    for (uint32_t i = 0; i < curve->key_count; i++) {
        assert_int_equal(curve->interpolations[i], SCENE_STEP);
    }
    unload(loaded);
}

static void test_stf_23_long_chains_of_resets_end(void **state)
{
    (void)state;
    enum { CHAIN = 20000, BYTES = CHAIN * 100 + 1000, REACHED = CHAIN - 1 - 64 };
    char *const text = malloc(BYTES);
    size_t bytes = (size_t)sprintf(
        text, "{\"stf\":{\"root\":\"p\"},\"resources\":{\"p\":{\"type\":\"stf.prefab\","
              "\"root_nodes\":[\"n\"]},\"n\":{\"type\":\"stf.node\"}");
    for (int i = 0; i < CHAIN; i++) {
        bytes += (size_t)sprintf(
            text + bytes, ",\"%d\":{\"type\":\"stf.animation\",\"fps\":1,\"range\":[0,1],", i);
        bytes += (size_t)sprintf(text + bytes,
                                 i + 1 < CHAIN
                                     ? "\"tracks\":[],\"reset_animation\":\"%d\"}"
                                     : "\"tracks\":[{\"target\":[\"n\",\"t\"],\"timepoints\":[0],"
                                       "\"subtracks\":[{\"keyframes\":[[true,1,\"linear\"]]}]}]}",
                                 i + 1);
    }
    bytes += (size_t)sprintf(text + bytes, "}}");
    size_t size_bytes;
    unsigned char *const file = stf_builder_container(text, bytes, NULL, NULL, 0, &size_bytes);
    free(text);
    struct scene scene;
    struct report report = {0};
    const clock_t start = clock();
    assert_true(import_stf("test.stf", file, size_bytes, NULL, &scene, &report));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    assert_int_equal(scene.clip_count, CHAIN);
    assert_int_equal(scene.clips[REACHED].track_count, 1);
    assert_int_equal(scene.clips[REACHED - 1].track_count, 0);
    assert_int_equal(report.warning_count, 2); // once a file, and that it has no version
    scene_free(&scene);
    free(file);
}

static void test_stf_23_reset_that_is_not_there_resets_nothing(void **state)
{
    (void)state;
    struct loaded *const loaded = load_with(
        "{'loop':'none','fps':30,'range':[0,30],'reset_animation':'nobody','tracks':[{'target':"
        "['n','t'],'timepoints':[0],'subtracks':[{'keyframes':[[true,1,'linear']]}]}]}",
        &(struct extras){0});
    assert_true(loaded->ok);
    assert_int_equal(loaded->scene.clips[0].track_count, 1);
    assert_true(is_said(loaded, "there is no resource nobody; nothing is reset"));
    unload(loaded);
}

static void test_stf_23_reset_animations_set_what_the_clip_does_not(void **state)
{
    (void)state;
    const struct extras extras = {
        .other =
            "{'loop':'none','fps':30,'range':[0,1],'reset_animation':'a','referenced_resources':"
            "['a'],'tracks':[{'target':['n','t'],'timepoints':[0],'subtracks':[{'keyframes':"
            "[[true,77,'linear']]}]},{'target':['n','s'],'timepoints':[0,1],'subtracks':"
            "[{'keyframes':[[true,5,'linear'],[true,6,'linear']]}]},{'target':['m','instance',"
            "'blendshape','Key 1','value'],'timepoints':[0],'subtracks':[{'keyframes':"
            "[[true,0.75,'linear']]}]}]}"};
    struct loaded *const loaded = load_with(
        "{'loop':'none','fps':30,'range':[0,30],'reset_animation':0,'referenced_resources':"
        "['reset'],'tracks':[{'target':['n','t'],'timepoints':[0,30],'subtracks':[{'keyframes':"
        "[[true,1,'linear'],[true,2,'linear']]}]}]}",
        &extras);
    assert_true(loaded->ok);
    assert_int_equal(loaded->scene.clip_count, 2);
    assert_int_equal(loaded->scene.clips[0].track_count, 3);
    assert_near(sample(loaded, 0, 0, 1), 2, 0);
    assert_int_equal(track_at(loaded, 1)->path, SCENE_SCALE);
    assert_near(sample(loaded, 1, 0, 1), 5, 0);
    assert_int_equal(track_at(loaded, 2)->path, SCENE_PROPERTY);
    assert_near(sample(loaded, 2, 0, 1), 0.75L, 0);
    assert_int_equal(loaded->scene.clips[1].track_count, 3); // the circle ends
    unload(loaded);
}

// ---- Packs -------------------------------------------------------------------------------------

/// A pack, what it was made of, and the node's place in it.
struct packed {
    const char *folder;
    char path[512];
    void *bytes;
    trp_pack pack;
    trp_skeleton skeleton;
    trp_clip clip;
    struct scene scene;
    uint32_t lane;
};

static void pack_free(struct packed *packed)
{
    remove(packed->path);
    temp_folder_remove(packed->folder);
    free(packed->bytes);
    scene_free(&packed->scene);
}

static void write_file(const char *path, const char *text)
{
    size_t size_bytes;
    unsigned char *const file = file_of(text, &(struct extras){0}, &size_bytes);
    FILE *const out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file, 1, size_bytes, out), size_bytes);
    fclose(out);
    free(file);
}

/// Compiles an animation, and lets `verify` measure the pack on a path of its own.
static void pack_make(const char *text, struct compile_input input, struct packed *packed)
{
    struct report report = {0};
    size_t size_bytes;
    *packed = (struct packed){.folder = temp_folder_make()};
    snprintf(packed->path, sizeof packed->path, "%s/curve.stf", packed->folder);
    write_file(packed->path, text);
    input.path = packed->path;
    input.metres_per_unit = 1;
    input.error_mm = 0.1;
    input.shell_m = 0.03;
    const struct compile_options options = {.inputs = &input, .input_count = 1, .job_count = 1};
    if (!compile_pack(&options, &packed->bytes, &size_bytes, &report)) {
        fail_msg("%s", report.first_error);
    }
    const struct verify_options checks = {.inputs = &input, .input_count = 1, .seed = 5};
    struct verify_clip *clips;
    uint32_t clip_count;
    bool ok = false;
    assert_true(verify_pack(&checks, packed->bytes, size_bytes, &clips, &clip_count, &ok, &report));
    assert_true(ok);
    free(clips);
    assert_true(import_file(packed->path, NULL, &packed->scene, &report));
    assert_int_equal(trp_pack_open(packed->bytes, size_bytes, &packed->pack, NULL), TRP_OK);
    assert_int_equal(trp_pack_skeleton(&packed->pack, 0, &packed->skeleton), TRP_OK);
    assert_int_equal(trp_pack_clip(&packed->pack, 0, &packed->clip), TRP_OK);
    packed->lane = TRP_NO_LANE;
    for (uint32_t joint = 0; joint < packed->skeleton.joint_count; joint++) {
        const uint32_t node = packed->skeleton.node_of_joint[joint];
        if (strcmp(packed->scene.nodes[node].name, "Node") == 0) {
            packed->lane = packed->skeleton.lane_of_joint[joint];
        }
    }
    assert_true(packed->lane != TRP_NO_LANE);
}

static void pack_play(const struct packed *packed, double time_s, struct scene_transform *out)
{
    trp_pose_block *const pose = aligned_alloc(64, trp_pose_bytes(packed->clip.block_count));
    const trp_sample_request request = {.clip = &packed->clip, .time_s = time_s, .pose = pose};
    trp_sample_args args = {.requests = &request, .request_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = aligned_alloc(64, (args.scratch_bytes + 63) & ~(size_t)63);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    const trp_pose_block *const block = &pose[packed->lane / 16];
    for (int c = 0; c < 4; c++) {
        out->rotation[c] = (double)block->rotation[c][packed->lane % 16];
    }
    for (int c = 0; c < 3; c++) {
        out->translation[c] = (double)block->translation[c][packed->lane % 16];
        out->scale[c] = (double)block->scale[c][packed->lane % 16];
    }
    free(args.scratch);
    free(pose);
}

/// Translation and rotation along bezier curves, frames 4 to 61 of 1 to 61 at 30 Hz.
static void bezier_animation(char *text)
{
    struct component place[3];
    struct component turn[4];
    const double turns[4][4] = {{0, 0.6, 0, 0.6}, {0, 0, 0, 0}, {0, 0, 0.6, 0}, {1, 0.8, 0.8, 0.8}};
    for (int c = 0; c < 4; c++) {
        turn[c].count = 4;
        for (int k = 0; k < 4; k++) {
            const struct key key = {
                .frame = 4 + 19 * k,
                .value = turns[c][k],
                .type = BEZIER,
                .out = {7, k == 1 ? -0.2 : 0},
                .in = {-5.5, 0},
            };
            turn[c].keys[k] = key;
        }
    }
    for (int c = 0; c < 3; c++) {
        place[c].count = 4;
        for (int k = 0; k < 4; k++) {
            const struct key key = {
                .frame = 4 + 19 * k,
                .value = k == 3 ? 0.1 * c : 0.1 * c + 0.75 * k - 0.3 * c * k,
                .type = BEZIER,
                .out = {5 + 3 * k, 0.25 * c - 0.25},
                .in = {-8, 0.125},
            };
            place[c].keys[k] = key;
        }
    }
    text = put(text, "{'loop':'none','fps':30,'range':[1,61],'tracks':[");
    text = put_track(text, "['n','t']", place, 3, false);
    text = put(text, ",");
    text = put_track(text, "['n','r']", turn, 4, false);
    put(text, "]}");
}

static const struct scene_curve *place_of(const struct packed *packed)
{
    assert_int_equal(packed->scene.clips[0].tracks[0].path, SCENE_TRANSLATION);
    return &packed->scene.clips[0].tracks[0].curve;
}

static void test_stf_curve_exact_packs_play_bezier_within_a_millionth(void **state)
{
    (void)state;
    static char text[TEXT_BYTES];
    struct packed packed;
    bezier_animation(text);
    pack_make(text, (struct compile_input){.is_exact = true}, &packed);
    assert_int_equal(place_of(&packed)->key_count, 4);
    assert_int_equal(place_of(&packed)->interpolations[0], SCENE_BEZIER);
    for (int i = 0; i < 4000; i++) {
        const double time_s = random_between(0, 2);
        struct scene_transform played;
        double truth[4];
        pack_play(&packed, time_s, &played);
        scene_curve_sample(place_of(&packed), SCENE_TRANSLATION, time_s, truth);
        for (int c = 0; c < 3; c++) {
            assert_near(played.translation[c], truth[c], 1e-6);
        }
        scene_curve_sample(&packed.scene.clips[0].tracks[1].curve, SCENE_ROTATION, time_s, truth);
        for (int c = 0; c < 4; c++) {
            assert_near(played.rotation[c], truth[c], 1e-6);
        }
    }
    pack_free(&packed);
}

/// Whatever the options: `verify` finds the pack within its budget, and so does a look at it.
static void test_stf_curve_packs_of_bezier_keep_their_budget(void **state)
{
    (void)state;
    static char text[TEXT_BYTES];
    const struct compile_input inputs[] = {
        {.is_exact = false},
        {.is_trimmed = true},
        {.is_trimmed = true, .is_exact = true},
        {.loop = COMPILE_LOOP_ON},
        {.loop = COMPILE_LOOP_ON, .is_exact = true},
        {.additive = "rest"},
        {.additive = "rest", .is_exact = true},
        {.additive = "rest", .is_exact = true, .is_trimmed = true},
        {.root_joint = "Node"},
    };
    bezier_animation(text);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        struct packed packed;
        pack_make(text, inputs[i], &packed);
        const double lead_in_s = inputs[i].is_trimmed ? 0.1 : 0;
        double base[3] = {0, 0, 0};
        if (inputs[i].additive) {
            memcpy(base, rest.translation, sizeof base);
        }
        const bool is_closed = inputs[i].loop == COMPILE_LOOP_ON;
        assert_near(packed.clip.duration_s, 2 - lead_in_s,
                    is_closed ? 0.5 : 1e-6); // and the way home
        for (int k = 0; k < 500 && !inputs[i].root_joint; k++) {
            const double time_s = random_between(0, 2 - lead_in_s);
            struct scene_transform played;
            double truth[3];
            pack_play(&packed, time_s, &played);
            scene_curve_sample(place_of(&packed), SCENE_TRANSLATION, time_s + lead_in_s, truth);
            for (int c = 0; c < 3; c++) {
                const double value = truth[c] - base[c]; // floats far from 0 are coarse
                const double tolerance = inputs[i].is_exact ? 1e-6 + 3e-7 * fabs(value) : 1e-4;
                assert_near(played.translation[c], value, tolerance);
            }
        }
        pack_free(&packed);
    }
}

/// Jumps, upright handles, components with handles of their own, angles.
static void test_stf_curve_packs_of_any_curve_keep_their_budget(void **state)
{
    (void)state;
    static char text[TEXT_BYTES];
    for (int i = 0; i < 6; i++) {
        struct component components[4];
        random_components(components, i % 3 == 1 ? 4 : 3, i % 2, 0.5);
        const char *const target = i % 3 == 0   ? "['n','t']"
                                   : i % 3 == 1 ? "['n','r']"
                                                : "['n','r_euler']";
        char *at = put(text, "{'loop':'none','fps':30,'range':[1,31],'tracks':[");
        at = put_track(at, target, components, i % 3 == 1 ? 4 : 3, false);
        put(at, "]}");
        struct packed packed;
        pack_make(text, (struct compile_input){.is_exact = i >= 3}, &packed);
        pack_free(&packed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stf_06_both_layouts_give_the_same_bits),
        cmocka_unit_test(test_stf_curve_random_components_each_follow_their_own_curve),
        cmocka_unit_test(test_stf_curve_handles_at_equal_times_stay_bezier),
        cmocka_unit_test(test_stf_07_bezier_reference_numbers),
        cmocka_unit_test(test_stf_07_tangents_are_taken_from_the_value_or_added),
        cmocka_unit_test(test_stf_07_upright_handles_and_ones_as_long_as_the_interval),
        cmocka_unit_test(test_stf_07_handles_beyond_the_interval_are_shortened),
        cmocka_unit_test(test_stf_07_bezier_without_an_arriving_tangent_arrives_at_its_key),
        cmocka_unit_test(test_stf_08_every_interpolation_follows_its_formula),
        cmocka_unit_test(test_stf_08_arriving_tangent_counts_after_bezier_alone),
        cmocka_unit_test(test_stf_08_constant_component_jumps_while_others_move),
        cmocka_unit_test(test_stf_09_keys_without_a_known_type_go_straight_with_a_warning),
        cmocka_unit_test(test_stf_09_keys_without_a_known_type_use_what_is_baked),
        cmocka_unit_test(test_stf_09_known_keys_do_not_use_what_is_baked),
        cmocka_unit_test(test_stf_10_generated_keys_make_no_corners),
        cmocka_unit_test(test_stf_11_what_is_null_or_missing_stays_at_rest),
        cmocka_unit_test(test_stf_11_what_is_short_empty_or_backward_is_told),
        cmocka_unit_test(test_stf_11_too_many_subtracks_are_left_out_with_a_warning),
        cmocka_unit_test(test_stf_11_keys_that_are_none_cost_their_track_alone),
        cmocka_unit_test(test_stf_11_tracks_that_are_none_cost_nothing_else),
        cmocka_unit_test(test_stf_11_buffer_that_is_not_there_is_no_loss_where_keys_are),
        cmocka_unit_test(test_stf_7_time_that_nearly_stands_still_is_no_bezier),
        cmocka_unit_test(test_stf_16_rotation_that_turns_over_is_held),
        cmocka_unit_test(test_stf_17_short_colours_rest_where_they_are_short),
        cmocka_unit_test(test_stf_17_colours_have_as_many_values_as_the_file_says),
        cmocka_unit_test(test_stf_17_too_many_values_are_left_out),
        cmocka_unit_test(test_stf_17_generated_tracks_win),
        cmocka_unit_test(test_stf_18_angles_that_turn_too_often_are_left_out),
        cmocka_unit_test(test_stf_18_keys_beyond_the_budget_of_a_file_are_refused),
        cmocka_unit_test(test_stf_23_long_chains_of_resets_end),
        cmocka_unit_test(test_stf_23_reset_that_is_not_there_resets_nothing),
        cmocka_unit_test(test_stf_12_baked_values_lie_on_whole_frames),
        cmocka_unit_test(test_stf_12_rotations_use_baked_values_of_all_components),
        cmocka_unit_test(test_stf_12_baked_values_that_are_no_numbers_are_not_used),
        cmocka_unit_test(test_stf_13_time_starts_at_the_range_and_keys_outside_count),
        cmocka_unit_test(test_stf_13_frames_out_of_order_are_left_out_with_a_warning),
        cmocka_unit_test(test_stf_14_baked_tracks_stay_and_others_too),
        cmocka_unit_test(test_stf_15_loops_and_ranges),
        cmocka_unit_test(test_stf_16_random_rotations_are_their_components_normalised),
        cmocka_unit_test(test_stf_16_keys_of_opposite_signs_keep_them),
        cmocka_unit_test(test_stf_16_rotation_of_zeros_is_none),
        cmocka_unit_test(test_stf_17_blendshapes_are_found_by_name),
        cmocka_unit_test(test_stf_17_two_tracks_for_one_thing_are_told),
        cmocka_unit_test(test_stf_18_angles_are_those_of_the_editor),
        cmocka_unit_test(test_stf_18_angles_without_keys_keep_those_of_the_rest),
        cmocka_unit_test(test_stf_18_switches_change_at_keys),
        cmocka_unit_test(test_stf_23_reset_animations_set_what_the_clip_does_not),
        cmocka_unit_test(test_stf_curve_exact_packs_play_bezier_within_a_millionth),
        cmocka_unit_test(test_stf_curve_packs_of_bezier_keep_their_budget),
        cmocka_unit_test(test_stf_curve_packs_of_any_curve_keep_their_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
