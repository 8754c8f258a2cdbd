// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Random Panthera projects against a second implementation of the rule that
// says who writes a property when. This one knows one time only: it collects
// what every key says then, sorts that and lets the last one write. Curves,
// pieces and packs are none of its business.
//
// TROUPE_PANTHERA_SEEDS is how many projects are tried,
// TROUPE_PANTHERA_FIRST_SEED the first one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "synthetic_clip.h"
#include "temp_folder.h"

enum {
    SEED_COUNT = 400,
    MOST_PROJECTS = 3,
    MOST_TEMPLATES = 2,
    MOST_ANIMATIONS = 4,
    MOST_KEYS = 16,
    MOST_NESTING = 16, // of animations, with the outermost one
    MOST_SAMPLES = 6,
    MOST_WRITES = 1 << 14,
    MOST_TIMES = 1 << 12,
    MOST_VALUES = 256,
    MOST_ARRIVALS = 1 << 11,
    ROUNDS = 5,
};

// -- Projects

enum kind {
    TRIGGER,
    TWEEN,
    EVENT,
    CLIP, // an animation in an animation
};

static const char *const kind_names[] = {"trigger", "tween", "event", "animation"};

struct key {
    enum kind kind;
    const char *node;
    const char *property;
    double start_s;
    double duration_s;
    double from;
    double to;
    const char *easing; // null: left out
    uint32_t sample_count;
    double samples[MOST_SAMPLES];
    const char *start_text; // null: left out
    const char *text;       // null: left out
    bool is_editor_only;
    char event[16]; // its name if it is one; no key has that of another
};

/// The keys of one property, as they are evaluated.
struct group {
    enum kind kind;
    uint32_t count;
    struct key keys[MOST_KEYS];
};

struct animation {
    const char *id;
    double duration_s;
    const char *initial_state; // null: left out
    uint32_t key_count;
    struct key keys[MOST_KEYS]; // in the order of the file
    uint32_t group_count;
    struct group groups[MOST_KEYS];
};

struct project {
    const char *stem; // of its files
    bool has_nodes;
    bool has_twin; // of its first animation, which does not count
    uint32_t animation_count;
    struct animation animations[MOST_ANIMATIONS];
    uint32_t template_count;
    const char *template_nodes[MOST_TEMPLATES];
    uint32_t templates[MOST_TEMPLATES]; // indices of projects
};

/// A project with those that it has as templates; the first one is what is
/// imported.
struct world {
    bool has_cycles; // of animations in each other
    uint32_t project_count;
    struct project projects[MOST_PROJECTS];
};

// -- Chance

#define PICK(state, list) ((list)[synthetic_chance(state) % (sizeof(list) / sizeof *(list))])

static bool is_chance(uint64_t *state, uint32_t percent)
{
    return synthetic_chance(state) % 100 < percent;
}

static const char *const families[] = {"quad", "cubic", "quart", "quint",   "sine",
                                       "expo", "circ",  "back",  "elastic", "bounce"};

/// Returns an easing's name, or one that is none, or null.
static const char *chance_easing(uint64_t *state)
{
    static const char *const usual[] = {NULL, "linear", "wobble", ""};
    const uint32_t number = synthetic_chance(state) % TRP_EASING_COUNT;
    return is_chance(state, 30) ? PICK(state, usual) : trp_easing_name(number);
}

/// Returns a time that others have too, mostly.
static double chance_time(uint64_t *state)
{
    static const double usual[] = {0, 0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1, 1.5};
    return is_chance(state, 70) ? PICK(state, usual) : synthetic_chance_between(state, 0, 2);
}

static double chance_value(uint64_t *state)
{
    static const double usual[] = {0, 0, 1, -1, 100};
    return is_chance(state, 40) ? PICK(state, usual) : synthetic_chance_between(state, -300, 300);
}

static void chance_samples(uint64_t *state, struct key *key)
{
    key->sample_count = 2 + synthetic_chance(state) % (MOST_SAMPLES - 1);
    for (uint32_t i = 0; i < key->sample_count; i++) {
        key->samples[i] = synthetic_chance_between(state, -1, 2);
    }
}

static bool is_text_property(const char *property)
{
    return strcmp(property, "text") == 0 || strcmp(property, "enabled") == 0;
}

/// Returns a key of a value, or an event.
static struct key chance_key(uint64_t *state)
{
    static const char *const nodes[] = {"n", "n", "m", "t/n", "t/u/n"};
    static const char *const properties[] = {"position_x", "position_x", "size_y",
                                             "p",          "text",       "enabled"};
    static const char *const texts[] = {NULL, "", "true", "false", "a", "b \\ \"c\""};
    struct key key = {
        .node = PICK(state, nodes),
        .property = PICK(state, properties),
        .start_s = chance_time(state),
        .duration_s = chance_time(state),
        .from = chance_value(state),
        .to = chance_value(state),
        .easing = chance_easing(state),
        .start_text = PICK(state, texts),
        .text = PICK(state, texts),
        .is_editor_only = is_chance(state, 8),
    };
    key.kind = is_text_property(key.property) ? TRIGGER : TWEEN;
    if (is_chance(state, 15)) {
        chance_samples(state, &key);
    }
    if (is_chance(state, 5)) { // of another kind than the first one of its group
        key.kind = is_chance(state, 30) ? EVENT : key.kind == TRIGGER ? TWEEN : TRIGGER;
    }
    return key;
}

static struct key chance_event(uint64_t *state)
{
    static const char *const nodes[] = {"", "n", "m", "t/n"};
    struct key key = chance_key(state);
    key.kind = EVENT;
    key.node = PICK(state, nodes);
    key.property = "event";
    key.duration_s = is_chance(state, 50) ? 0 : key.duration_s;
    return key;
}

/// Returns the key of another animation.
static struct key chance_clip(uint64_t *state, const char *node, const char *id)
{
    struct key key = {
        .kind = CLIP,
        .node = node,
        .property = id,
        .start_s = chance_time(state),
        .duration_s = chance_time(state),
        .easing = is_chance(state, 40) ? chance_easing(state) : NULL,
        .is_editor_only = is_chance(state, 4),
    };
    if (is_chance(state, 6)) {
        chance_samples(state, &key);
    }
    return key;
}

static void animation_append(struct animation *animation, struct key key)
{
    if (animation->key_count < MOST_KEYS) {
        animation->keys[animation->key_count++] = key;
    }
}

/// Adds keys of animations that come later in the project, so that none leads back to itself; or
/// one key in a cycle, which goes evenly, as what is nested in itself multiplies at every level,
/// and takes most of the time, so that there is something to see on the last one.
static void chance_clips(uint64_t *state, struct world *world, struct project *project,
                         uint32_t index)
{
    struct animation *const animation = &project->animations[index];
    const uint32_t later_count = project->animation_count - index - 1;
    const uint32_t count = world->has_cycles ? 0 : synthetic_chance(state) % 4;
    if (world->has_cycles) { // the next one, or itself
        const uint32_t next = (index + is_chance(state, 70)) % project->animation_count;
        struct key key = chance_clip(state, "", project->animations[next].id);
        key.duration_s = animation->duration_s * synthetic_chance_between(state, 0.7, 1.1);
        key.easing = NULL;
        key.sample_count = 0;
        animation_append(animation, key);
    }
    for (uint32_t i = 0; later_count > 0 && i < count; i++) {
        const uint32_t inner = index + 1 + synthetic_chance(state) % later_count;
        animation_append(animation, chance_clip(state, "", project->animations[inner].id));
    }
    if (is_chance(state, 3)) {
        animation_append(animation, chance_clip(state, "", "gone"));
    }
}

/// Adds keys of the animations of templates, and of templates in them.
static void chance_template_clips(uint64_t *state, struct world *world, struct project *project,
                                  struct animation *animation)
{
    const uint32_t count = project->template_count > 0 ? synthetic_chance(state) % 3 : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = synthetic_chance(state) % project->template_count;
        const struct project *const inner = &world->projects[project->templates[slot]];
        const uint32_t number = synthetic_chance(state) % inner->animation_count;
        animation_append(animation, chance_clip(state, project->template_nodes[slot],
                                                inner->animations[number].id));
    }
    if (project == world->projects && world->project_count == 3 && is_chance(state, 20)) {
        animation_append(animation, chance_clip(state, "t/u", world->projects[2].animations[0].id));
    }
    if (is_chance(state, 2)) {
        animation_append(animation, chance_clip(state, "nobody", "a"));
    }
}

static void chance_animation(uint64_t *state, struct world *world, struct project *project,
                             uint32_t index)
{
    struct animation *const animation = &project->animations[index];
    animation->duration_s = is_chance(state, 8) ? 0 : 0.1 + chance_time(state);
    const uint32_t count = synthetic_chance(state) % 7;
    for (uint32_t i = 0; i < count; i++) {
        animation_append(animation, chance_key(state));
    }
    for (uint32_t i = synthetic_chance(state) % 3; i > 0; i--) {
        animation_append(animation, chance_event(state));
    }
    chance_clips(state, world, project, index);
    chance_template_clips(state, world, project, animation);
    if (is_chance(state, world->has_cycles ? 5 : 25)) { // itself, a later one, or none
        const uint32_t other = index + synthetic_chance(state) % (project->animation_count - index);
        animation->initial_state = project->animations[other].id;
        animation->initial_state = is_chance(state, 5) ? "gone" : animation->initial_state;
    }
}

/// Gives all keys names.
static void world_name_keys(struct world *world)
{
    for (uint32_t i = 0; i < world->project_count; i++) {
        for (uint32_t k = 0; k < world->projects[i].animation_count; k++) {
            struct animation *const animation = &world->projects[i].animations[k];
            for (uint32_t key = 0; key < animation->key_count; key++) {
                snprintf(animation->keys[key].event, sizeof animation->keys[key].event, "%u.%u.%u",
                         i % 10, k % 10, key % 100);
            }
        }
    }
}

static void chance_world(uint64_t seed, struct world *world)
{
    static const char *const stems[MOST_PROJECTS] = {"main", "middle", "inner"};
    // Ids in an order of their own, as they decide who is the last one.
    static const char *const ids[2][MOST_ANIMATIONS] = {{"a", "b", "c", "d"}, {"d", "b", "a", "c"}};
    uint64_t state = seed * 2 + 1;
    memset(world, 0, sizeof *world);
    world->project_count = 1 + synthetic_chance(&state) % MOST_PROJECTS;
    world->has_cycles = seed % 12 == 0;
    if (world->has_cycles) {
        world->project_count = world->project_count < 2 ? world->project_count : 2;
    }
    for (uint32_t i = world->project_count; i-- > 0;) {
        struct project *const project = &world->projects[i];
        const char *const *const own_ids = PICK(&state, ids);
        project->stem = stems[i];
        project->has_nodes = is_chance(&state, 50);
        project->has_twin = is_chance(&state, 5);
        project->animation_count =
            1 + synthetic_chance(&state) % (i == 0 ? MOST_ANIMATIONS : MOST_ANIMATIONS / 2);
        for (uint32_t k = 0; k < project->animation_count; k++) {
            project->animations[k].id = own_ids[k];
        }
        if (i + 1 < world->project_count) {
            project->template_nodes[0] = i == 0 ? "t" : "u";
            project->template_nodes[1] = "m";
            project->templates[0] = project->templates[1] = i + 1;
            project->template_count = 1 + synthetic_chance(&state) % MOST_TEMPLATES;
        }
        for (uint32_t k = 0; k < project->animation_count; k++) {
            chance_animation(&state, world, project, k);
        }
    }
    world_name_keys(world);
}

// -- Files

static const char *folder;

static int folder_make(void **state)
{
    (void)state;
    folder = temp_folder_make();
    return folder == NULL;
}

static int folder_remove(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

/// A file that is written, in one of the two forms.
struct writer {
    FILE *out;
    bool is_lua;
    bool has_member; // of the object or list at hand
};

static void write_text(struct writer *writer, const char *text)
{
    fputc('"', writer->out);
    for (; *text; text++) {
        fprintf(writer->out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputc('"', writer->out);
}

/// Begins a member, or an item where it has no name.
static void write_name(struct writer *writer, const char *name)
{
    fputs(writer->has_member ? "," : "", writer->out);
    writer->has_member = true;
    if (name && writer->is_lua) {
        fprintf(writer->out, "[\"%s\"]=", name);
    } else if (name) {
        fprintf(writer->out, "\"%s\":", name);
    }
}

static void write_begin(struct writer *writer, const char *name, bool is_list)
{
    write_name(writer, name);
    fputs(is_list && !writer->is_lua ? "[" : "{", writer->out);
    writer->has_member = false;
}

static void write_end(struct writer *writer, bool is_list)
{
    fputs(is_list && !writer->is_lua ? "]\n" : "}\n", writer->out);
    writer->has_member = true;
}

/// @param text null: is left out
static void write_text_member(struct writer *writer, const char *name, const char *text)
{
    if (text) {
        write_name(writer, name);
        write_text(writer, text);
    }
}

/// What is 0 is left out, as the editor does.
static void write_number_member(struct writer *writer, const char *name, double number)
{
    if (number != 0) {
        write_name(writer, name);
        fprintf(writer->out, "%.17g", number);
    }
}

static void write_key(struct writer *writer, const struct key *key)
{
    write_begin(writer, NULL, false);
    write_text_member(writer, "key_type", kind_names[key->kind]);
    write_text_member(writer, "node_id", *key->node ? key->node : NULL);
    write_text_member(writer, "property_id", key->property);
    write_number_member(writer, "start_time", key->start_s);
    write_number_member(writer, "duration", key->duration_s);
    write_number_member(writer, "start_value", key->from);
    write_number_member(writer, "end_value", key->to);
    write_text_member(writer, "easing", key->easing);
    write_text_member(writer, "start_data", key->start_text);
    write_text_member(writer, "data", key->text);
    write_text_member(writer, "event_id", key->kind == EVENT ? key->event : NULL);
    if (key->sample_count > 0) {
        write_begin(writer, "easing_custom", true);
        for (uint32_t i = 0; i < key->sample_count; i++) {
            write_name(writer, NULL);
            fprintf(writer->out, "%.17g", key->samples[i]);
        }
        write_end(writer, true);
    }
    if (key->is_editor_only) {
        write_name(writer, "is_editor_only");
        fputs("true", writer->out);
    }
    write_end(writer, false);
}

/// @param key_count of its keys, from the first one
static void write_animation(struct writer *writer, const struct animation *animation,
                            uint32_t key_count)
{
    write_begin(writer, NULL, false);
    write_text_member(writer, "animation_id", animation->id);
    write_number_member(writer, "duration", animation->duration_s);
    write_text_member(writer, "initial_state", animation->initial_state);
    write_begin(writer, "animation_keys", true);
    for (uint32_t i = 0; i < key_count; i++) {
        write_key(writer, &animation->keys[i]);
    }
    write_end(writer, true);
    write_end(writer, false);
}

static void write_metadata(struct writer *writer, const struct world *world,
                           const struct project *project)
{
    write_begin(writer, "metadata", false);
    write_begin(writer, "template_animation_paths", false);
    for (uint32_t i = 0; i < project->template_count; i++) {
        write_name(writer, project->template_nodes[i]);
        fprintf(writer->out, writer->is_lua ? "require(\"%s\")" : "\"%s.json\"",
                world->projects[project->templates[i]].stem);
    }
    write_end(writer, false);
    write_end(writer, false);
}

/// The node "n" says where some of its properties rest.
static void write_nodes(struct writer *writer, const struct project *project)
{
    write_begin(writer, "nodes", true);
    if (project->has_nodes) {
        write_begin(writer, NULL, false);
        write_text_member(writer, "node_id", "n");
        write_number_member(writer, "position_x", 4.5);
        write_text_member(writer, "text", "rest");
        write_end(writer, false);
    }
    write_end(writer, true);
}

static void write_project(const struct world *world, const struct project *project, bool is_lua)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", folder, project->stem, is_lua ? "lua" : "json");
    struct writer writer = {.out = fopen(path, "wb"), .is_lua = is_lua};
    assert_non_null(writer.out);
    fputs(is_lua ? "return " : "", writer.out);
    write_begin(&writer, NULL, false);
    write_text_member(&writer, "type", "animation_editor");
    write_number_member(&writer, "version", 1);
    write_begin(&writer, "data", false);
    write_nodes(&writer, project);
    write_metadata(&writer, world, project);
    write_begin(&writer, "animations", true);
    if (project->has_twin) {
        write_animation(&writer, &project->animations[0], project->animations[0].key_count / 2);
    }
    for (uint32_t i = 0; i < project->animation_count; i++) {
        const struct animation *const animation = &project->animations[i];
        write_animation(&writer, animation, animation->key_count);
    }
    write_end(&writer, true);
    write_end(&writer, false);
    write_end(&writer, false);
    fclose(writer.out);
}

// -- Groups of keys

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const struct key *a, const struct key *b)
{
    int order = compare_numbers(a->start_s, b->start_s);
    order = order != 0 ? order : compare_numbers(a->duration_s, b->duration_s);
    order = order != 0 ? order : strcmp(a->property, b->property);
    order = order != 0 ? order : strcmp(a->node, b->node);
    return order != 0 ? order : compare_numbers(a->to, b->to);
}

/// Inserts a key behind all that do not come after it.
static void keys_insert(struct key *keys, uint32_t *count, const struct key *key)
{
    uint32_t at = *count;
    while (at > 0 && compare_keys(&keys[at - 1], key) > 0) {
        keys[at] = keys[at - 1];
        at--;
    }
    keys[at] = *key;
    ++*count;
}

static struct group *group_find(struct animation *animation, const struct key *key)
{
    uint32_t i = 0;
    while (i < animation->group_count &&
           (strcmp(animation->groups[i].keys[0].node, key->node) != 0 ||
            strcmp(animation->groups[i].keys[0].property, key->property) != 0)) {
        i++;
    }
    return &animation->groups[i];
}

/// Takes the keys out that only the editor shows; what comes after one starts
/// with its value.
static void group_hand_over(struct group *group)
{
    for (uint32_t i = group->count; i-- > 0;) {
        if (group->keys[i].is_editor_only) {
            const double from = group->keys[i].from;
            group->count--;
            for (uint32_t k = i; k < group->count; k++) {
                group->keys[k] = group->keys[k + 1];
            }
            if (i < group->count) {
                group->keys[i].from = from;
            }
        }
    }
}

/// Makes the groups of an animation, in the order of the keys that they begin
/// with.
static void animation_group(struct animation *animation)
{
    animation->group_count = 0;
    for (uint32_t i = 0; i < animation->key_count; i++) {
        struct group *const group = group_find(animation, &animation->keys[i]);
        if (group == &animation->groups[animation->group_count]) {
            group->count = 0;
            animation->group_count++;
        }
        keys_insert(group->keys, &group->count, &animation->keys[i]);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < animation->group_count; i++) {
        struct group group = animation->groups[i];
        uint32_t at = kept;
        group_hand_over(&group);
        group.kind = group.keys[0].kind;
        if (group.count == 0) {
            continue;
        }
        while (at > 0 && compare_keys(&animation->groups[at - 1].keys[0], &group.keys[0]) > 0) {
            animation->groups[at] = animation->groups[at - 1];
            at--;
        }
        animation->groups[at] = group;
        kept++;
    }
    animation->group_count = kept;
}

/// Makes sure that a property has texts everywhere or numbers everywhere: the
/// first key of a group says which.
static void animation_settle(struct animation *animation)
{
    for (uint32_t i = 0; i < animation->key_count; i++) {
        struct key *const key = &animation->keys[i];
        bool is_first = true;
        for (uint32_t k = 0; k < animation->key_count; k++) {
            const struct key *const other = &animation->keys[k];
            const int order = compare_keys(other, key);
            is_first &= other->is_editor_only || strcmp(key->node, other->node) != 0 ||
                        strcmp(key->property, other->property) != 0 || order > 0 ||
                        (order == 0 && k >= i);
        }
        if (is_first && key->kind != CLIP && strcmp(key->property, "event") != 0) {
            key->kind = is_text_property(key->property) ? TRIGGER : TWEEN;
        }
    }
    animation_group(animation);
}

static void world_settle(struct world *world)
{
    for (uint32_t i = 0; i < world->project_count; i++) {
        for (uint32_t k = 0; k < world->projects[i].animation_count; k++) {
            animation_settle(&world->projects[i].animations[k]);
        }
    }
}

// -- Easings, by their formulas

#define PI 3.14159265358979323846

static double bounce_out(double u)
{
    const double n = 7.5625;
    return u < 1 / 2.75     ? n * u * u
           : u < 2 / 2.75   ? n * pow(u - 1.5 / 2.75, 2) + 0.75
           : u < 2.5 / 2.75 ? n * pow(u - 2.25 / 2.75, 2) + 0.9375
                            : n * pow(u - 2.625 / 2.75, 2) + 0.984375;
}

static double elastic_wave(double u, double period)
{
    return sin((u - period / 4) * 2 * PI / period);
}

static double ease_in(const char *family, double u)
{
    const double s = 1.70158;
    switch (family[0]) {
    case 's':
        return 1 - cos(PI * u / 2);
    case 'e':
        if (strcmp(family, "expo") == 0) {
            return u <= 0 ? 0 : pow(2, 10 * (u - 1)) - 0.001;
        }
        return u <= 0 || u >= 1 ? u : -pow(2, 10 * (u - 1)) * elastic_wave(u - 1, 0.3);
    case 'c':
        return strcmp(family, "circ") == 0 ? 1 - sqrt(1 - u * u) : pow(u, 3);
    case 'b':
        return strcmp(family, "back") == 0 ? u * u * ((s + 1) * u - s) : 1 - bounce_out(1 - u);
    default:
        return pow(u, strcmp(family, "quad") == 0 ? 2 : strcmp(family, "quart") == 0 ? 4 : 5);
    }
}

static double ease_out(const char *family, double u)
{
    if (strcmp(family, "expo") == 0) {
        return u >= 1 ? 1 : 1.001 * (1 - pow(2, -10 * u));
    }
    if (strcmp(family, "elastic") == 0) {
        return u <= 0 || u >= 1 ? u : pow(2, -10 * u) * elastic_wave(u, 0.3) + 1;
    }
    return 1 - ease_in(family, 1 - u);
}

static double ease_in_out(const char *family, double u)
{
    const double s = 2.5949095;
    const double w = 2 * u - 1;
    if (u <= 0 || u >= 1) {
        return u;
    }
    if (strcmp(family, "expo") == 0) {
        return w < 0 ? 0.5 * pow(2, 10 * w) - 0.0005 : 0.50025 * (2 - pow(2, -10 * w));
    }
    if (strcmp(family, "elastic") == 0) {
        return w < 0 ? -0.5 * pow(2, 10 * w) * elastic_wave(w, 0.45)
                     : 0.5 * pow(2, -10 * w) * elastic_wave(w, 0.45) + 1;
    }
    if (strcmp(family, "back") == 0) {
        const double v = u < 0.5 ? 2 * u : 2 - 2 * u;
        const double half = v * v * ((s + 1) * v - s) / 2;
        return u < 0.5 ? half : 1 - half;
    }
    return u < 0.5 ? ease_in(family, 2 * u) / 2 : 1 - ease_in(family, 2 - 2 * u) / 2;
}

static double ease_named(const char *name, double u)
{
    static const char *const heads[] = {"inout", "outin", "in", "out"};
    for (uint32_t i = 0; name && i < 4; i++) {
        const size_t length = strlen(heads[i]);
        for (uint32_t k = 0; k < sizeof families / sizeof *families; k++) {
            const char *const family = families[k];
            if (strncmp(name, heads[i], length) == 0 && strcmp(name + length, family) == 0) {
                return i == 0    ? ease_in_out(family, u)
                       : i == 2  ? ease_in(family, u)
                       : i == 3  ? ease_out(family, u)
                       : u < 0.5 ? ease_out(family, 2 * u) / 2
                                 : 0.5 + ease_in(family, 2 * u - 1) / 2;
            }
        }
    }
    return u;
}

static double ease_sampled(const double *samples, uint32_t count, double u)
{
    const double place = u * (count - 1);
    const uint32_t i = (uint32_t)place;
    return i + 1 >= count ? samples[count - 1]
                          : samples[i] + (samples[i + 1] - samples[i]) * (place - i);
}

/// Returns how much of the way a key has gone, some time after its start.
static double ease(const struct key *key, double passed_s)
{
    const double u = fmin(passed_s / key->duration_s, 1);
    return key->sample_count > 0 ? ease_sampled(key->samples, key->sample_count, u)
                                 : ease_named(key->easing, u);
}

// -- The rule

/// What somebody writes to a property at one time.
struct write {
    char path[128];
    double root_start_s;
    bool is_key; // that has started, not where the property rests
    uint32_t order;
    double number;
    double edge;      // in clips: what the key begins or ends with, close to that;
                      // else the number
    const char *text; // null: a number
    const struct key *key;
};

/// An event that an animation has reached, by one way through the clips that it is in.
struct arrival {
    const struct key *key;
    char target[64];
    uint64_t way;
    double scale;
    double first_s;       // the first time at which it was looked at and had been reached,
    double last_s;        // at least and at most, as times in clips are rounded
    uint32_t round;       // the last one by which it is reached
    uint32_t round_count; // by how many
    bool is_found;
};

struct arrivals {
    uint32_t round; // that is being looked at, from 1 on
    uint32_t count;
    struct arrival arrivals[MOST_ARRIVALS];
};

struct state {
    const struct world *world;
    struct arrivals *arrivals; // null: events are none of its business
    double root_s;
    double nudges_s[2]; // of the time in clips, which is rounded: in every second level of them
    double late_s;      // how much longer clips have the instant at which others follow
    uint32_t count;
    struct write writes[MOST_WRITES];
};

/// Where an animation is looked at.
struct place {
    const struct project *project;
    const char *prefix;
    double time_s;
    double offset_s; // of its start, in the time of the root
    double scale;    // of its time to that of the root
    uint32_t depth;  // how many clips and initial states it is in
    bool is_frozen;  // in an initial state
    uint64_t way;    // through clips
};

static void path_append(char *path, const char *text)
{
    for (path += strlen(path); *text; text++) {
        if (*text == '/' || *text == '~') {
            *path++ = '~';
            *path++ = *text == '/' ? '1' : '0';
        } else {
            *path++ = *text;
        }
    }
    *path = '\0';
}

static double key_number(const struct key *key, double time_s)
{
    if (key->duration_s == 0 || time_s > key->start_s + key->duration_s) {
        return key->to;
    }
    return key->from + (key->to - key->from) * ease(key, time_s - key->start_s);
}

/// Easings may jump at their ends, and in clips the time is rounded.
static double key_edge(const struct key *key, double time_s, double number)
{
    return fabs(time_s - key->start_s) < 1e-12                     ? key->from
           : fabs(time_s - key->start_s - key->duration_s) < 1e-12 ? key->to
                                                                   : number;
}

static void state_write(struct state *state, const struct place *place, const struct group *group,
                        const struct key *key, bool is_key, double number, const char *text)
{
    assert_true(state->count < MOST_WRITES);
    struct write *const write = &state->writes[state->count];
    *write = (struct write){
        .path = "/",
        .root_start_s = place->offset_s + (is_key ? key->start_s * place->scale : 0),
        .is_key = is_key,
        .order = state->count++,
        .number = number,
        .edge = place->depth > 0 && is_key ? key_edge(key, place->time_s, number) : number,
        .text = group->kind == TRIGGER ? text : NULL,
        .key = key,
    };
    path_append(write->path, place->prefix);
    path_append(write->path, key->node);
    strcat(write->path, "/");
    path_append(write->path, key->property);
}

/// Collects what a property of the animation itself has. A key of the other
/// kind says nothing of it: it is as before all keys.
static void collect_value(struct state *state, const struct place *place, const struct group *group)
{
    const struct key *last = NULL;
    for (uint32_t i = 0; i < group->count; i++) {
        last = group->keys[i].start_s <= place->time_s ? &group->keys[i] : last;
    }
    const struct key *const first = &group->keys[0];
    if (last && last->kind != EVENT) {
        state_write(state, place, group, last, true, key_number(last, place->time_s),
                    last->text ? last->text : "");
    } else if ((place->depth == 0 || place->time_s < 0) &&
               (group->kind == TWEEN || first->start_text)) {
        state_write(state, place, group, first, false, first->from, first->start_text);
    }
}

/// Notes an event that has been reached, where it was not before.
static void arrive(struct state *state, const struct place *place, const struct key *key)
{
    struct arrivals *const arrivals = state->arrivals;
    struct arrival *arrival = arrivals->arrivals;
    struct arrival *const end = arrival + arrivals->count;
    while (arrival < end &&
           (arrival->way != place->way || strcmp(arrival->key->event, key->event) != 0)) {
        arrival++;
    }
    if (arrival == end) {
        assert_true(arrivals->count++ < MOST_ARRIVALS);
        *arrival = (struct arrival){
            .key = key, .way = place->way, .scale = place->scale, .first_s = INFINITY};
        snprintf(arrival->target, sizeof arrival->target, "%s%s", *key->node ? place->prefix : "",
                 key->node);
    }
    if (arrival->round != arrivals->round) {
        arrival->round = arrivals->round;
        arrival->round_count += arrivals->round <= ROUNDS;
        arrival->first_s = fmin(arrival->first_s, state->root_s);
        arrival->last_s = fmax(arrival->last_s, state->root_s);
    }
}

/// Notes the events of an animation that it has reached: those of initial states never come.
static void collect_events(struct state *state, const struct place *place,
                           const struct animation *animation)
{
    for (uint32_t i = 0; i < animation->group_count; i++) {
        for (uint32_t k = 0; k < animation->groups[i].count; k++) {
            const struct key *const key = &animation->groups[i].keys[k];
            if (key->kind == EVENT && !place->is_frozen && key->start_s <= place->time_s &&
                key->start_s <= animation->duration_s) {
                arrive(state, place, key);
            }
        }
    }
}

static const struct project *template_find(const struct world *world, const struct project *project,
                                           const char *node)
{
    for (uint32_t i = 0; i < project->template_count; i++) {
        const size_t length = strlen(project->template_nodes[i]);
        if (strncmp(node, project->template_nodes[i], length) == 0) {
            const struct project *const inner = &world->projects[project->templates[i]];
            if (node[length] == '\0') {
                return inner;
            }
            if (node[length] == '/') {
                return template_find(world, inner, node + length + 1);
            }
        }
    }
    return NULL;
}

static const struct animation *animation_find(const struct project *project, const char *id)
{
    for (uint32_t i = 0; id && project && i < project->animation_count; i++) {
        if (strcmp(project->animations[i].id, id) == 0) {
            return &project->animations[i];
        }
    }
    return NULL;
}

static bool clip_has_started(const struct key *key, double time_s, double late_s)
{
    return key->duration_s > 0 && key->start_s > 0 ? key->start_s + late_s < time_s
                                                   : key->start_s <= time_s;
}

static void collect(struct state *state, const struct place *place,
                    const struct animation *animation);

/// Collects what an animation in an animation has.
static void collect_clip(struct state *state, const struct place *place, const struct group *group)
{
    const struct key *const first = &group->keys[0];
    const struct key *last = NULL;
    char prefix[64];
    struct place inside = *place;
    if (*first->node) {
        inside.project = template_find(state->world, place->project, first->node);
        snprintf(prefix, sizeof prefix, "%s%s/", place->prefix, first->node);
        inside.prefix = prefix;
    }
    const struct animation *const inner = animation_find(inside.project, first->property);
    if (!inner) {
        return;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        last = clip_has_started(&group->keys[i], place->time_s, state->late_s) ? &group->keys[i]
                                                                               : last;
    }
    inside.depth++;
    if (!last) {
        inside.time_s = -1;
        collect(state, &inside, inner);
        return;
    }
    inside.offset_s = place->offset_s + last->start_s * place->scale;
    inside.way = (place->way ^ trp_name_hash(last->event)) * 0x100000001b3u;
    if (last->duration_s == 0 || inner->duration_s == 0) {
        inside.time_s = inner->duration_s;
        inside.scale = 0;
    } else {
        inside.time_s =
            inner->duration_s * ease(last, fmin(place->time_s - last->start_s, last->duration_s));
        inside.time_s += state->nudges_s[place->depth % 2];
        inside.scale = place->scale * (last->duration_s / inner->duration_s);
    }
    collect(state, &inside, inner);
}

static void collect(struct state *state, const struct place *place,
                    const struct animation *animation)
{
    if (place->depth == MOST_NESTING) {
        return;
    }
    const struct animation *const initial =
        place->time_s < 0 ? NULL : animation_find(place->project, animation->initial_state);
    if (initial && initial != animation) {
        struct place end = *place;
        end.time_s = initial->duration_s;
        end.scale = 0;
        end.depth++;
        end.is_frozen = true;
        collect(state, &end, initial);
    }
    if (state->arrivals) {
        collect_events(state, place, animation);
    }
    for (uint32_t i = 0; i < animation->group_count; i++) {
        if (animation->groups[i].kind == TWEEN || animation->groups[i].kind == TRIGGER) {
            collect_value(state, place, &animation->groups[i]);
        }
    }
    for (uint32_t i = 0; i < animation->group_count; i++) {
        if (animation->groups[i].kind == CLIP) {
            collect_clip(state, place, &animation->groups[i]);
        }
    }
}

static void state_collect(struct state *state, const struct world *world,
                          const struct animation *animation, double time_s)
{
    const struct place root = {world->projects, "", time_s, 0, 1, 0, false, 0};
    state->world = world;
    state->root_s = time_s;
    state->count = 0;
    collect(state, &root, animation);
}

static bool write_is_later(const struct write *a, const struct write *b)
{
    return a->root_start_s != b->root_start_s ? a->root_start_s > b->root_start_s
           : a->is_key != b->is_key           ? a->is_key
                                              : a->order > b->order;
}

/// Returns what is written last; null where nobody writes.
static const struct write *state_find(const struct state *state, const char *path)
{
    const struct write *last = NULL;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct write *const write = &state->writes[i];
        if (strcmp(write->path, path) == 0 && (!last || write_is_later(write, last))) {
            last = write;
        }
    }
    return last;
}

// -- Times that matter

struct times {
    uint32_t count;
    double seconds[MOST_TIMES];
};

static void times_add(struct times *times, double time_s)
{
    if (times->count < MOST_TIMES) {
        times->seconds[times->count++] = time_s;
    }
}

/// Adds where keys begin and end, also those in clips.
static void times_of_animation(struct times *times, const struct world *world,
                               const struct project *project, const struct animation *animation,
                               double offset_s, double scale)
{
    for (uint32_t i = 0; i < animation->key_count && times->count < MOST_TIMES / 8; i++) {
        const struct key *const key = &animation->keys[i];
        times_add(times, offset_s + key->start_s * scale);
        times_add(times, offset_s + (key->start_s + key->duration_s) * scale);
        const struct project *const inside =
            *key->node ? template_find(world, project, key->node) : project;
        const struct animation *const inner =
            key->kind == CLIP ? animation_find(inside, key->property) : NULL;
        if (inner && inner->duration_s > 0) {
            times_of_animation(times, world, inside, inner, offset_s + key->start_s * scale,
                               scale * (key->duration_s / inner->duration_s));
        }
    }
}

static int compare_times(const void *a, const void *b)
{
    return compare_numbers(*(const double *)a, *(const double *)b);
}

static void times_make(struct times *times, const struct world *world,
                       const struct animation *animation, uint64_t *state)
{
    times->count = 0;
    times_add(times, 0);
    times_add(times, animation->duration_s);
    times_of_animation(times, world, world->projects, animation, 0, 1);
    qsort(times->seconds, times->count, sizeof *times->seconds, compare_times);
    const uint32_t count = times->count;
    for (uint32_t i = 0; i < count; i++) {
        const double time_s = times->seconds[i];
        times_add(times, nextafter(time_s, -1));
        times_add(times, fmax(nextafter(time_s, INFINITY), 0x1p-60));
        times_add(times, (time_s + times->seconds[i + 1 < count ? i + 1 : i]) / 2);
    }
    for (uint32_t i = 0; i < 40; i++) {
        times_add(times, synthetic_chance_between(state, 0, animation->duration_s));
    }
    times_add(times, -1);
    times_add(times, -0.5);
}

// -- Packs

#define EVENT_SLACK_S 1e-5 // times of events are rounded down to 2^-20 of a tick

struct compiled {
    void *bytes;
    size_t size_bytes;
    trp_pack pack;
    trp_property_set set;
};

/// What is wrong, empty as long as nothing is.
static char problem[1024];

static bool refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    return false;
}

static bool compile(const struct world *world, const char *name, struct compiled *compiled)
{
    char path[1024];
    char messages[8192] = "";
    struct report report = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const struct compile_input input = {.path = path};
    const struct compile_options options = {.inputs = &input, .input_count = 1};
    memset(compiled, 0, sizeof *compiled);
    report.out = fmemopen(messages, sizeof messages, "w");
    const bool is_compiled =
        compile_pack(&options, &compiled->bytes, &compiled->size_bytes, &report);
    fclose(report.out);
    if (!is_compiled) {
        return refuse("%s", report.first_error);
    }
    if ((strstr(messages, "panthera.nesting") && !world->has_cycles) ||
        strstr(messages, "panthera.size") || strstr(messages, "panthera.property.kind")) {
        return refuse("%s", messages);
    }
    assert_int_equal(trp_pack_open(compiled->bytes, compiled->size_bytes, &compiled->pack, NULL),
                     TRP_OK);
    if (compiled->pack.property_set_count > 0) {
        assert_int_equal(trp_pack_property_set(&compiled->pack, 0, &compiled->set), TRP_OK);
        assert_true(compiled->set.value_count <= MOST_VALUES);
    }
    return true;
}

static void sample(const trp_clip *clip, double time_s, float *values)
{
    static _Alignas(TRP_ALIGNMENT) unsigned char scratch[1 << 16];
    const trp_sample_request request = {.clip = clip, .time_s = time_s, .values = values};
    const trp_sample_args args = {
        .requests = &request,
        .request_count = 1,
        .scratch = scratch,
        .scratch_bytes = sizeof scratch,
    };
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
}

// -- Comparison

/// Returns whether a time is one at which a key of the animation itself begins:
/// then nothing is rounded that says who writes.
static bool is_own_start(const struct animation *animation, double time_s)
{
    for (uint32_t i = 0; i < animation->key_count; i++) {
        if (animation->keys[i].start_s == time_s) {
            return true;
        }
    }
    return time_s <= 0;
}

/// A value as it is compared.
struct answer {
    const struct key *key; // null: nobody writes
    double number;
    double edge;      // may be instead
    const char *text; // null: a number
};

/// Where nobody writes, it is as before the animation.
static struct answer answer_at(struct state *state, const struct world *world,
                               const struct animation *animation, const char *path, double time_s,
                               double rest, const char *rest_text)
{
    state_collect(state, world, animation, time_s);
    const struct write *write = state_find(state, path);
    if (!write) {
        state_collect(state, world, animation, -1);
        write = state_find(state, path);
    }
    return write ? (struct answer){write->key, write->number, write->edge, write->text}
                 : (struct answer){NULL, rest, rest, rest_text};
}

static double tolerance_of(const struct answer *answer)
{
    double size = fmax(1, fabs(answer->number));
    if (answer->key) {
        size = fmax(size, fmax(fabs(answer->key->from), fabs(answer->key->to)));
    }
    return 1e-5 * size;
}

static bool is_answer(const struct answer *answer, double number, const char *text)
{
    return answer->text ? text && strcmp(answer->text, text) == 0
                        : !text && fmin(fabs(answer->number - number),
                                        fabs(answer->edge - number)) <= tolerance_of(answer);
}

/// Checks a value.
/// Times in clips are rounded: there what is right a few last places of the
/// time earlier or later is right too, and all between if it is steep.
static bool check_value(struct state *state, const struct world *world,
                        const struct animation *animation, const trp_property_set *set,
                        const trp_property *property, double time_s, float value)
{
    const bool is_text = property->type == TRP_PROPERTY_STRING;
    const double rest = (double)set->defaults[property->first_value];
    const char *const rest_text = is_text ? trp_property_set_text(set, (float)rest) : NULL;
    const char *const text = is_text ? trp_property_set_text(set, value) : NULL;
    const struct answer exact =
        answer_at(state, world, animation, property->path, time_s, rest, rest_text);
    if (is_answer(&exact, (double)value, text)) {
        return true;
    }
    const bool is_strict = is_own_start(animation, time_s);
    double low = exact.number;
    double high = exact.number;
    for (int i = 0; i < 49 * 9; i++) {
        const double near_s = time_s + (i / 9 - 24) * 0x1p-53 * fmax(1, time_s);
        state->nudges_s[0] = (i % 3 - 1) * 1e-13;
        state->nudges_s[1] = (i / 3 % 3 - 1) * 1e-13;
        const struct answer near =
            answer_at(state, world, animation, property->path, near_s, rest, rest_text);
        memset(state->nudges_s, 0, sizeof state->nudges_s);
        if (is_strict && near.key != exact.key) {
            continue;
        }
        if (is_answer(&near, (double)value, text)) {
            return true;
        }
        if (near.key == exact.key) {
            low = fmin(low, near.number);
            high = fmax(high, near.number);
        }
    }
    if (!is_text && (double)value >= low && (double)value <= high) {
        return true;
    }
    return refuse("%s %s at %.17g: %.9g '%s', expected %.9g '%s' (rest %g)", animation->id,
                  property->path, time_s, (double)value, text ? text : "", exact.number,
                  exact.text ? exact.text : "", rest);
}

static bool check_values_at(struct state *state, const struct world *world,
                            const struct animation *animation, const struct compiled *compiled,
                            const trp_clip *clip, double time_s)
{
    float values[MOST_VALUES];
    sample(clip, time_s, values);
    for (uint32_t i = 0; i < compiled->set.property_count; i++) {
        trp_property property;
        assert_int_equal(trp_property_set_property(&compiled->set, i, &property), TRP_OK);
        if (!check_value(state, world, animation, &compiled->set, &property, time_s,
                         values[property.first_value])) {
            return false;
        }
    }
    // All that is written is there.
    state_collect(state, world, animation, time_s);
    for (uint32_t i = 0; i < state->count; i++) {
        const char *const path = state->writes[i].path;
        if (trp_property_set_find(&compiled->set, trp_name_hash(path)) == TRP_NONE) {
            return refuse("%s is not there", path);
        }
    }
    return true;
}

// -- Events

/// Finds which events are reached and when, looking at all times in turn, several times over:
/// times in clips are rounded, and an easing may touch the time of an event for an instant that no
/// time here meets. So may a clip without a duration have no more than an instant: what it has
/// comes in the last round, which makes that longer.
static void arrivals_find(struct state *state, const struct world *world,
                          const struct animation *animation, const struct times *times,
                          struct arrivals *arrivals)
{
    static const double nudges[ROUNDS + 1] = {0, 1e-12, -1e-12, 1e-4, -1e-4, 0};
    arrivals->count = 0;
    state->arrivals = arrivals;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        arrivals->round = round + 1;
        state->late_s = round == ROUNDS ? 1e-4 : 0;
        state->nudges_s[0] = state->nudges_s[1] = nudges[round];
        for (uint32_t i = 0; i < times->count; i++) {
            if (times->seconds[i] >= 0 && times->seconds[i] <= animation->duration_s) {
                state_collect(state, world, animation, times->seconds[i]);
            }
        }
    }
    memset(state->nudges_s, 0, sizeof state->nudges_s);
    state->late_s = 0;
    state->arrivals = NULL;
}

/// Returns whether an event of the pack is the one that was reached.
static bool is_arrival(const struct arrival *arrival, const trp_event *event)
{
    const struct key *const key = arrival->key;
    return !arrival->is_found && strcmp(key->event, event->name) == 0 &&
           strcmp(arrival->target, event->target) == 0 &&
           event->time_s >= arrival->first_s - 1.01 * EVENT_SLACK_S &&
           event->time_s <= arrival->last_s + EVENT_SLACK_S &&
           fabs(key->duration_s * arrival->scale - event->duration_s) <= 1e-6 &&
           fabs(event->number - key->to) <= 1e-4 &&
           strcmp(event->text, key->text ? key->text : "") == 0;
}

static bool arrivals_take(struct arrivals *arrivals, const trp_event *event)
{
    for (uint32_t i = 0; i < arrivals->count; i++) {
        if (is_arrival(&arrivals->arrivals[i], event)) {
            arrivals->arrivals[i].is_found = true;
            return true;
        }
    }
    return false;
}

/// Checks the events of a clip: each that is reached is there, and no other. Where rounding decides
/// on whether it is reached, it may be there.
static bool check_events(struct state *state, const struct world *world,
                         const struct animation *animation, const trp_clip *clip,
                         struct times *times)
{
    static struct arrivals arrivals;
    for (uint32_t i = 0; i < clip->event_count; i++) {
        trp_event event;
        assert_int_equal(trp_clip_event(clip, i, &event), TRP_OK);
        times_add(times, event.time_s - EVENT_SLACK_S);
        times_add(times, fmin(event.time_s + EVENT_SLACK_S, animation->duration_s));
    }
    qsort(times->seconds, times->count, sizeof *times->seconds, compare_times);
    arrivals_find(state, world, animation, times, &arrivals);
    for (uint32_t i = 0; i < clip->event_count; i++) {
        trp_event event;
        assert_int_equal(trp_clip_event(clip, i, &event), TRP_OK);
        if (!arrivals_take(&arrivals, &event)) {
            return refuse("%s: event %s of '%s' at %.17g for %.9g s is none", animation->id,
                          event.name, event.target, event.time_s, event.duration_s);
        }
    }
    for (uint32_t i = 0; i < arrivals.count; i++) {
        const struct arrival *const arrival = &arrivals.arrivals[i];
        if (arrival->round_count == ROUNDS && !arrival->is_found) {
            return refuse("%s: event %s of '%s', reached by %.17g, is not there", animation->id,
                          arrival->key->event, arrival->target, arrival->first_s);
        }
    }
    return true;
}

// -- Whole projects

static bool check_animation(const struct world *world, const struct animation *animation,
                            const struct compiled *compiled, uint64_t *chance)
{
    static struct state state;
    static struct times times;
    trp_clip clip;
    const uint32_t index = trp_pack_find_clip(&compiled->pack, trp_name_hash(animation->id));
    times_make(&times, world, animation, chance);
    if (index != TRP_NONE) {
        assert_int_equal(trp_pack_clip(&compiled->pack, index, &clip), TRP_OK);
        if (fabs(clip.duration_s - animation->duration_s) > 5e-6) {
            return refuse("%s lasts %.17g", animation->id, clip.duration_s);
        }
    }
    for (uint32_t i = 0; i < times.count; i++) {
        const double time_s = times.seconds[i];
        if (time_s > fmin(animation->duration_s, index == TRP_NONE ? INFINITY : clip.duration_s)) {
            continue;
        }
        if (index == TRP_NONE) {
            state_collect(&state, world, animation, time_s);
            if (state.count > 0) {
                return refuse("%s is no clip", animation->id);
            }
        } else if (!check_values_at(&state, world, animation, compiled, &clip, time_s)) {
            return false;
        }
    }
    return index == TRP_NONE || check_events(&state, world, animation, &clip, &times);
}

/// Checks where a property rests that a node says something of, if the pack has
/// it.
static bool check_rest(const struct compiled *compiled, const char *prefix, const char *property,
                       double number, const char *text)
{
    char path[128] = "/";
    path_append(path, prefix);
    strcat(path, "n/");
    strcat(path, property);
    const uint32_t index = trp_property_set_find(&compiled->set, trp_name_hash(path));
    trp_property found;
    if (index == TRP_NONE) {
        return number == 0 && !text ? true : refuse("%s is not there", path);
    }
    assert_int_equal(trp_property_set_property(&compiled->set, index, &found), TRP_OK);
    const float value = compiled->set.defaults[found.first_value];
    const bool is_right = text ? strcmp(trp_property_set_text(&compiled->set, value), text) == 0
                               : (double)value == number;
    return is_right || refuse("%s rests at %g", path, (double)value);
}

/// Checks where properties of nodes rest, also of those in templates.
static bool check_rests(const struct world *world, const struct project *project,
                        const char *prefix, const struct compiled *compiled)
{
    if (project->has_nodes && (!check_rest(compiled, prefix, "position_x", 4.5, NULL) ||
                               !check_rest(compiled, prefix, "text", 0, "rest") ||
                               !check_rest(compiled, prefix, "size_y", 0, NULL))) {
        return false;
    }
    for (uint32_t i = 0; i < project->template_count; i++) {
        char inner[64];
        snprintf(inner, sizeof inner, "%s%s/", prefix, project->template_nodes[i]);
        if (!check_rests(world, &world->projects[project->templates[i]], inner, compiled)) {
            return false;
        }
    }
    return true;
}

/// Checks a project from its files to what is sampled. What is wrong is in
/// `problem`.
static bool world_check(const struct world *world, uint64_t seed)
{
    struct compiled json = {0};
    struct compiled lua = {0};
    uint64_t chance = seed + 1;
    for (uint32_t i = 0; i < world->project_count; i++) {
        write_project(world, &world->projects[i], false);
        write_project(world, &world->projects[i], true);
    }
    bool is_good = compile(world, "main.json", &json) && compile(world, "main.lua", &lua);
    if (is_good && (json.size_bytes != lua.size_bytes ||
                    memcmp(json.bytes, lua.bytes, json.size_bytes) != 0)) {
        is_good = refuse("JSON and Lua are not the same pack");
    }
    is_good = is_good && check_rests(world, world->projects, "", &json);
    for (uint32_t i = 0; is_good && i < world->projects[0].animation_count; i++) {
        is_good = check_animation(world, &world->projects[0].animations[i], &json, &chance);
    }
    free(json.bytes);
    free(lua.bytes);
    return is_good;
}

// -- What is left of a project that is wrong

/// Takes a key out for as long as the project is wrong without it.
static bool world_shrink_key(struct world *world, uint64_t seed, struct animation *animation,
                             uint32_t index)
{
    struct animation *const before = malloc(sizeof *before);
    *before = *animation;
    for (uint32_t i = index; i + 1 < animation->key_count; i++) {
        animation->keys[i] = animation->keys[i + 1];
    }
    animation->key_count--;
    world_settle(world);
    const bool is_good = world_check(world, seed);
    if (is_good) {
        *animation = *before;
        world_settle(world);
    }
    free(before);
    return !is_good;
}

/// Takes keys out of a project that is wrong until each that is left is needed
/// for that.
static void world_shrink(struct world *world, uint64_t seed)
{
    for (uint32_t i = 0; i < world->project_count; i++) {
        for (uint32_t k = 0; k < world->projects[i].animation_count; k++) {
            struct animation *const animation = &world->projects[i].animations[k];
            for (uint32_t key = animation->key_count; key-- > 0;) {
                (void)world_shrink_key(world, seed, animation, key);
            }
        }
    }
    (void)world_check(world, seed);
}

static void print_project(const struct project *project)
{
    char path[1024];
    char line[4096];
    snprintf(path, sizeof path, "%s/%s.json", folder, project->stem);
    FILE *const file = fopen(path, "rb");
    printf("%s:\n", project->stem);
    while (file && fgets(line, sizeof line, file)) {
        fputs(line, stdout);
    }
    if (file) {
        fclose(file);
    }
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *const text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_panthera_random_projects_follow_the_rule(void **state)
{
    (void)state;
    static struct world world;
    const uint64_t first = setting("TROUPE_PANTHERA_FIRST_SEED", 1);
    const uint64_t count = setting("TROUPE_PANTHERA_SEEDS", SEED_COUNT);
    for (uint64_t seed = first; seed < first + count; seed++) {
        chance_world(seed, &world);
        world_settle(&world);
        if (!world_check(&world, seed)) {
            printf("seed %llu: %s\n", (unsigned long long)seed, problem);
            world_shrink(&world, seed);
            for (uint32_t i = 0; i < world.project_count; i++) {
                print_project(&world.projects[i]);
            }
            fail_msg("seed %llu, of which the above is left: %s", (unsigned long long)seed,
                     problem);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panthera_random_projects_follow_the_rule),
    };
    return cmocka_run_group_tests_name("panthera_random", tests, folder_make, folder_remove);
}
