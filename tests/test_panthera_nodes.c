// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Nodes of Panthera projects as properties of packs: what they say, of which type it is, how much
// of it there is room for; and animations that do not move any.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "temp_folder.h"

enum { MOST = 32768 }; // values of a pack

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

// -- Packs

/// A project that was compiled, or refused.
struct compiled {
    enum troupe_exit exit_code;
    void *bytes;
    size_t size_bytes;
    trp_pack pack;
    trp_property_set set; // zero without properties
    char messages[4096];
};

static const char *path_of(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *const file = fopen(path_of(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// Writes a project with double quotes where the text has single ones.
/// @param data what is in "data"
static void write_project(const char *name, const char *data)
{
    char *const text = malloc(strlen(data) + 128);
    sprintf(text, "{'type':'animation_editor','data':{%s}}", data);
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    write_text(name, text);
    free(text);
}

static void compile_file(const char *name, const struct compile_input *how,
                         struct compiled *compiled)
{
    struct compile_input input = *how;
    input.path = path_of(name);
    memset(compiled, 0, sizeof *compiled);
    struct report report = {0};
    report.out = fmemopen(compiled->messages, sizeof compiled->messages, "w");
    const struct compile_options options = {.inputs = &input, .input_count = 1};
    const bool is_good = compile_pack(&options, &compiled->bytes, &compiled->size_bytes, &report);
    fclose(report.out);
    if (!is_good) {
        compiled->exit_code = report.exit_code;
        return;
    }
    assert_int_equal(trp_pack_open(compiled->bytes, compiled->size_bytes, &compiled->pack, NULL),
                     TRP_OK);
    if (compiled->pack.property_set_count > 0) {
        assert_int_equal(trp_pack_property_set(&compiled->pack, 0, &compiled->set), TRP_OK);
    }
}

static void compile_data(const char *data, struct compiled *compiled)
{
    write_project("project.json", data);
    compile_file("project.json", &(struct compile_input){0}, compiled);
}

/// Compiles a project of which nothing is to be said.
static void compile_quietly(const char *data, struct compiled *compiled)
{
    compile_data(data, compiled);
    assert_string_equal(compiled->messages, "");
}

static void discard(struct compiled *compiled)
{
    free(compiled->bytes);
}

static trp_clip clip_of(const struct compiled *compiled, const char *id)
{
    trp_clip clip;
    const uint32_t index = trp_pack_find_clip(&compiled->pack, trp_name_hash(id));
    assert_true(index != TRP_NONE);
    assert_int_equal(trp_pack_clip(&compiled->pack, index, &clip), TRP_OK);
    return clip;
}

/// Samples a clip that says nothing of joints.
static void sample(const trp_clip *clip, double time_s, float *values)
{
    static _Alignas(TRP_ALIGNMENT) unsigned char scratch[1 << 20];
    const trp_sample_request request = {.clip = clip, .time_s = time_s, .values = values};
    const trp_sample_args args = {
        .requests = &request,
        .request_count = 1,
        .scratch = scratch,
        .scratch_bytes = sizeof scratch,
    };
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
}

/// A property as it is expected: text, or number where that is null.
struct expected {
    const char *path;
    trp_property_type type;
    const char *text;
    double number;
};

/// Checks that a pack has exactly these properties, in this order, and that they rest so.
static void check_properties(const struct compiled *compiled, const struct expected *expected,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        trp_property property;
        assert_int_equal(trp_property_set_property(&compiled->set, i, &property), TRP_OK);
        assert_string_equal(property.path, expected[i].path);
        assert_int_equal(property.type, expected[i].type);
        const float value = compiled->set.defaults[property.first_value];
        if (expected[i].text) {
            assert_string_equal(trp_property_set_text(&compiled->set, value), expected[i].text);
        } else {
            assert_true(value == (float)expected[i].number);
        }
    }
    assert_int_equal(compiled->set.property_count, count);
}

#define FLOAT(path, value)                                                                         \
    {                                                                                              \
        path, TRP_PROPERTY_FLOAT, NULL, value                                                      \
    }
#define BOOL(path, value)                                                                          \
    {                                                                                              \
        path, TRP_PROPERTY_BOOL, NULL, value                                                       \
    }
#define TEXT(path, value)                                                                          \
    {                                                                                              \
        path, TRP_PROPERTY_STRING, value, 0                                                        \
    }
#define CHECK_PROPERTIES(compiled, expected)                                                       \
    check_properties(compiled, expected, sizeof(expected) / sizeof *(expected))

// -- What nodes say

static void test_panthera_nodes_have_all_their_fields(void **state)
{
    static const struct expected expected[] = {
        FLOAT("/a/alpha", 0.5),        TEXT("/a/material", "ui"),
        TEXT("/a/node_type", "spine"), TEXT("/a/parent", "b/c"),
        TEXT("/a/spine_skin", ""),     BOOL("/a/spine_tint", 1),
        TEXT("/a/xanchor", "left"),    TEXT("/b~1c/inherit_alpha", "true"),
        FLOAT("/b~1c/node_index", 3),  TEXT("/b~1c/perimeter_verticies", "32"),
        FLOAT("/b~1c/position_x", -2), TEXT("/b~1c/template", "t"),
    };
    (void)state;
    struct compiled compiled;
    compile_quietly("'nodes':[{'spine_tint':true,'xanchor':'left','node_id':'a','parent':'b/c',"
                    "'node_type':'spine','spine_skin':'','alpha':0.5,'material':'ui',"
                    "'yanchor':null},"
                    "{'node_id':'b/c','perimeter_vertices':32,'node_index':3,'position_x':-2,"
                    "'template':'t','inherit_alpha':true}]",
                    &compiled);
    CHECK_PROPERTIES(&compiled, expected);
    discard(&compiled);
}

static void test_panthera_nodes_are_the_same_in_lua(void **state)
{
    (void)state;
    struct compiled json;
    struct compiled lua;
    write_text("same.json",
               "{\"type\":\"animation_editor\",\"data\":{\"nodes\":[{\"node_id\":\"a\","
               "\"z\":1.5,\"flag\":false,\"odd\":\"x\",\"parent\":\"p\",\"list\":[],"
               "\"perimeter_vertices\":8}]}}");
    write_text("same.lua", "return { data = { nodes = { { parent = 'p', list = {}, odd = 'x',\n"
                           "  flag = false, z = 15e-1, perimeter_vertices = 8.0,\n"
                           "  node_id = 'a' } } } }\n");
    compile_file("same.json", &(struct compile_input){0}, &json);
    compile_file("same.lua", &(struct compile_input){0}, &lua);
    assert_string_equal(json.messages, "");
    assert_int_equal(json.set.property_count, 5);
    assert_int_equal(json.size_bytes, lua.size_bytes);
    assert_memory_equal(json.bytes, lua.bytes, json.size_bytes);
    discard(&json);
    discard(&lua);
}

static void test_panthera_nodes_fields_that_are_tables_are_warned_of_once_a_name(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_data("'nodes':[{'node_id':'a','tags':['x'],'scale_x':2},{'node_id':'b','tags':{'y':1},"
                 "'more':{'z':1},'none':[],'nothing':{}}]",
                 &compiled);
    const char *const path = path_of("project.json");
    char said[4096];
    snprintf(said, sizeof said,
             "%s: warning: data.nodes[0].tags: is no text, number or boolean; \"tags\" of nodes is "
             "left out [panthera.node]\n"
             "%s: warning: data.nodes[1].more: is no text, number or boolean; \"more\" of nodes is "
             "left out [panthera.node]\n",
             path, path);
    assert_string_equal(compiled.messages, said);
    assert_int_equal(compiled.set.property_count, 1);
    discard(&compiled);
}

static void test_panthera_nodes_of_templates_name_their_parents_as_the_pack_does(void **state)
{
    static const struct expected expected[] = {
        TEXT("/a/parent", "root"),
        TEXT("/a~1low/node_type", "box"),
        TEXT("/a~1low/parent", "a/mid"),
        TEXT("/a~1mid/parent", ""),
        TEXT("/a~1t~1deep/parent", "a/t/low"),
    };
    (void)state;
    struct compiled compiled;
    write_project("deep.json", "'nodes':[{'node_id':'deep','parent':'low'}]");
    write_project("inner.json", "'nodes':[{'node_id':'mid','parent':''},{'node_id':'low','parent':"
                                "'mid','node_type':'box'}],"
                                "'metadata':{'template_animation_paths':{'t':'deep.json'}}");
    compile_quietly("'nodes':[{'node_id':'a','parent':'root'}],"
                    "'metadata':{'template_animation_paths':{'a':'inner.json'}}",
                    &compiled);
    CHECK_PROPERTIES(&compiled, expected);
    discard(&compiled);
}

// -- What triggers set

#define TRIGGER(node, property, data)                                                              \
    "{'key_type':'trigger','node_id':'" node "','property_id':'" property "','start_time':0.5,"    \
    "'data':" data "}"

/// Checks that a property of two nodes, of which a trigger sets one, is text of both.
/// @param name  in nodes
/// @param value there, as JSON
/// @param rest  that as text
static void check_type_of(const char *name, const char *property, const char *value,
                          const char *rest)
{
    char data[1024];
    struct compiled compiled;
    snprintf(data, sizeof data,
             "'nodes':[{'node_id':'a','%s':%s},{'node_id':'b','%s':%s}],'animations':[{"
             "'animation_id':'go','duration':1,'animation_keys':[{'key_type':'trigger',"
             "'node_id':'a','property_id':'%s','start_time':0.5,'data':'other'}]}]",
             name, value, name, value, property);
    compile_quietly(data, &compiled);
    assert_int_equal(compiled.set.property_count, 2);
    const trp_clip clip = clip_of(&compiled, "go");
    for (uint32_t k = 0; k < 2; k++) {
        char path[64];
        float values[2];
        trp_property found;
        snprintf(path, sizeof path, "/%c/%s", "ab"[k], property);
        const uint32_t index = trp_property_set_find(&compiled.set, trp_name_hash(path));
        assert_int_equal(trp_property_set_property(&compiled.set, index, &found), TRP_OK);
        assert_int_equal(found.type, TRP_PROPERTY_STRING);
        sample(&clip, 0.25, values);
        assert_string_equal(trp_property_set_text(&compiled.set, values[found.first_value]), rest);
        sample(&clip, 0.75, values);
        assert_string_equal(trp_property_set_text(&compiled.set, values[found.first_value]),
                            k == 0 ? "other" : rest);
    }
    discard(&compiled);
}

static void test_panthera_nodes_have_one_type_a_name_whether_triggers_set_it_or_not(void **state)
{
    static const char *const texts[] = {"text",       "layer",     "texture",       "pivot",
                                        "blend_mode", "size_mode", "clipping_mode", "outer_bounds"};
    static const char *const booleans[] = {"enabled",          "visible",           "inherit_alpha",
                                           "clipping_visible", "clipping_inverted", "line_break"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_type_of(texts[i], texts[i], "'word'", "word");
    }
    for (size_t i = 0; i < sizeof booleans / sizeof *booleans; i++) {
        check_type_of(booleans[i], booleans[i], "true", "true");
    }
    check_type_of("perimeter_vertices", "perimeter_verticies", "24", "24");
}

static void test_panthera_nodes_of_the_spelling_of_triggers_count_first(void **state)
{
    static const struct expected expected[] = {TEXT("/a/perimeter_verticies", "7")};
    (void)state;
    struct compiled compiled;
    compile_quietly("'nodes':[{'node_id':'a','perimeter_vertices':5,'perimeter_verticies':'7'}]",
                    &compiled);
    CHECK_PROPERTIES(&compiled, expected);
    discard(&compiled);
}

static void test_panthera_nodes_say_where_unknown_properties_rest(void **state)
{
    static const struct expected expected[] = {
        TEXT("/a/count", "2.5"),
        TEXT("/a/flag", "true"),
        TEXT("/a/material", "ui"),
        FLOAT("/a/glow", 4),
    };
    (void)state;
    struct compiled compiled;
    compile_quietly(
        "'nodes':[{'node_id':'a','material':'ui','glow':4,'flag':true,'count':2.5}],"
        "'animations':[{'animation_id':'go','duration':1,'animation_keys':[" TRIGGER(
            "a", "material",
            "'x'") "," TRIGGER("a", "flag",
                               "'x'") "," TRIGGER("a", "count",
                                                  "'x'") ","
                                                         "{'key_type':'tween','node_id':'a','"
                                                         "property_id':'glow','start_time':0.6,"
                                                         "'start_value':1,'end_value':2}]}]",
        &compiled);
    CHECK_PROPERTIES(&compiled, expected);
    discard(&compiled);
}

// -- How much there is room for

/// Writes an animation that moves properties of as many nodes, and nodes with one that rests.
/// @return to be freed
static char *write_many(uint32_t moved_count, uint32_t node_count)
{
    char *const data = malloc((size_t)(moved_count + node_count) * 128 + 256);
    size_t used = (size_t)sprintf(data, "'nodes':[");
    for (uint32_t i = 0; i < node_count; i++) {
        used += (size_t)sprintf(data + used, "%s{'node_id':'n%u','size_x':1}", i > 0 ? "," : "", i);
    }
    used += (size_t)sprintf(data + used, "],'animations':[{'animation_id':'a','duration':1,"
                                         "'animation_keys':[");
    for (uint32_t i = 0; i < moved_count; i++) {
        used += (size_t)sprintf(data + used,
                                "%s{'key_type':'tween','node_id':'n%u','property_id':'size_x',"
                                "'duration':1,'end_value':1}",
                                i > 0 ? "," : "", i);
    }
    strcpy(data + used, "]}]");
    return data;
}

static void test_panthera_nodes_fill_a_pack_to_its_last_value(void **state)
{
    (void)state;
    struct compiled compiled;
    char *const data = write_many(MOST, 0);
    compile_quietly(data, &compiled);
    assert_int_equal(compiled.set.value_count, MOST);
    discard(&compiled);
    free(data);
}

static void test_panthera_nodes_that_are_moved_count_once(void **state)
{
    (void)state;
    struct compiled compiled;
    char *const data = write_many(MOST - 1, MOST);
    compile_quietly(data, &compiled);
    assert_int_equal(compiled.set.value_count, MOST);
    discard(&compiled);
    free(data);
}

/// Returns how many values a pack has of nodes that rest and of two layers.
static uint32_t count_with_layers(uint32_t node_count, bool *is_warned)
{
    static const char layers[] = ",'metadata':{'layers':[{'name':'up'},{'name':'down'}]}";
    struct compiled compiled;
    char *const many = write_many(0, node_count);
    char *const data = malloc(strlen(many) + sizeof layers);
    sprintf(data, "%s%s", many, layers);
    compile_data(data, &compiled);
    assert_int_equal(compiled.exit_code, TROUPE_EXIT_OK);
    *is_warned = strstr(compiled.messages, "more than 32768 properties") != NULL;
    const uint32_t count = compiled.set.value_count;
    discard(&compiled);
    free(data);
    free(many);
    return count;
}

static void test_panthera_nodes_leave_room_for_layers(void **state)
{
    bool is_warned;
    (void)state;
    assert_int_equal(count_with_layers(MOST - 2, &is_warned), MOST);
    assert_false(is_warned);
    assert_int_equal(count_with_layers(MOST - 1, &is_warned), 0);
    assert_true(is_warned);
}

static void test_panthera_nodes_moved_beyond_a_pack_are_refused(void **state)
{
    (void)state;
    struct compiled compiled;
    char *const data = write_many(MOST + 1, 0);
    char said[1200];
    compile_data(data, &compiled);
    assert_int_equal(compiled.exit_code, TROUPE_EXIT_INPUT);
    snprintf(said, sizeof said, "%s: error: /n", path_of("project.json"));
    assert_memory_equal(compiled.messages, said, strlen(said));
    assert_non_null(strstr(compiled.messages, "animations move more than 32768"));
    assert_non_null(strstr(compiled.messages, "[panthera.size]\n"));
    assert_null(strchr(strchr(compiled.messages, '\n') + 1, '\n')); // said once, and no warning
    discard(&compiled);
    free(data);
}

static void test_panthera_nodes_moved_through_templates_beyond_a_pack_are_refused(void **state)
{
    enum { TEMPLATES = 17, NODES = 2000 };
    (void)state;
    struct compiled compiled;
    char name[32];
    char data[4096] = "'metadata':{'template_animation_paths':{";
    size_t used = strlen(data);
    for (int i = 0; i < TEMPLATES; i++) {
        char *const inner = write_many(NODES, 0);
        snprintf(name, sizeof name, "part%d.json", i);
        write_project(name, inner);
        free(inner);
        used += (size_t)sprintf(data + used, "%s't%d':'part%d.json'", i > 0 ? "," : "", i, i);
    }
    used += (size_t)sprintf(data + used, "}},'animations':[{'animation_id':'all','duration':1,"
                                         "'animation_keys':[");
    for (int i = 0; i < TEMPLATES; i++) {
        used += (size_t)sprintf(data + used,
                                "%s{'key_type':'animation','node_id':'t%d','property_id':'a',"
                                "'duration':1}",
                                i > 0 ? "," : "", i);
    }
    strcpy(data + used, "]}]");
    compile_data(data, &compiled);
    assert_int_equal(compiled.exit_code, TROUPE_EXIT_INPUT);
    assert_non_null(strstr(compiled.messages, "[panthera.size]\n"));
    discard(&compiled);
}

// -- Animations that move nothing

static void check_still(const struct compiled *compiled, const char *id, double duration_s)
{
    const trp_clip clip = clip_of(compiled, id);
    float values[2];
    float mask[2] = {9, 9};
    assert_true(clip.duration_s == duration_s);
    assert_int_equal(clip.flags, 0); // it plays once, and closes no loop
    assert_int_equal(trp_clip_value_coverage(&clip, mask), TRP_OK);
    for (uint32_t i = 0; i < clip.value_count; i++) {
        assert_true(mask[i] == 0);
    }
    for (int i = -1; i < 4; i++) {
        values[0] = values[1] = 7;
        sample(&clip, i * 0.75, values);
        for (uint32_t k = 0; k < clip.value_count; k++) {
            assert_true(values[k] == compiled->set.defaults[k]);
        }
        assert_true(values[1] == 7);
    }
}

static void test_panthera_nodes_left_alone_by_an_animation_have_its_clip(void **state)
{
    static const char *const nodes[] = {"", "'nodes':[{'node_id':'n','size_x':3}],"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct compiled compiled;
        char data[512];
        snprintf(data, sizeof data,
                 "%s'animations':[{'animation_id':'still','duration':2.5},{'animation_id':'none'},"
                 "{'animation_id':'call','duration':1,'animation_keys':[{'key_type':'event',"
                 "'property_id':'event','event_id':'hit','start_time':0.5}]}]",
                 nodes[i]);
        compile_quietly(data, &compiled);
        assert_int_equal(compiled.pack.clip_count, 3);
        assert_int_equal(compiled.set.value_count, i);
        check_still(&compiled, "still", 2.5);
        check_still(&compiled, "none", 0);
        check_still(&compiled, "call", 1);
        const trp_clip call = clip_of(&compiled, "call");
        assert_int_equal(call.event_count, 1);
        discard(&compiled);
    }
}

static void test_panthera_nodes_left_alone_close_a_loop_only_if_asked_to(void **state)
{
    static const enum compile_loop loops[] = {COMPILE_LOOP_AUTO, COMPILE_LOOP_ON, COMPILE_LOOP_OFF};
    (void)state;
    write_project("loop.json", "'animations':[{'animation_id':'still','duration':2}]");
    for (int i = 0; i < 3; i++) {
        struct compiled compiled;
        compile_file("loop.json", &(struct compile_input){.loop = loops[i]}, &compiled);
        const trp_clip clip = clip_of(&compiled, "still");
        assert_int_equal(clip.flags, loops[i] == COMPILE_LOOP_ON ? TRP_CLIP_LOOP_CLOSED : 0);
        assert_true(clip.duration_s == 2);
        discard(&compiled);
    }
}

// -- Keys after the end

static void test_panthera_nodes_moved_after_the_end_are_warned_of_once_an_animation(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_data(
        "'animations':[{'animation_id':'fine','duration':1,'animation_keys':[" TRIGGER(
            "n", "text",
            "'x'") "]},"
                   "{'animation_id':'short','duration':0.5,'animation_keys':["
                   "{'key_type':'event','property_id':'event','event_id':'late','start_time':3},"
                   "{'key_type':'event','property_id':'event','event_id':'end','start_time':0.5},"
                   "{'key_type':'tween','node_id':'m','property_id':'p','start_time':2,"
                   "'is_editor_only':true},"
                   "{'key_type':'tween','node_id':'n','property_id':'p','start_time':2.5}]}]",
        &compiled);
    char said[2048];
    snprintf(said, sizeof said,
             "%s: warning: data.animations[1]: \"short\" ends at 0.5 s, before 2 of its keys "
             "start, such as that at 2.5 s of 'p' of 'n'; never played [panthera.key.time]\n",
             path_of("project.json"));
    assert_string_equal(compiled.messages, said);
    const trp_clip clip = clip_of(&compiled, "short");
    assert_int_equal(clip.event_count, 1);
    discard(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panthera_nodes_have_all_their_fields),
        cmocka_unit_test(test_panthera_nodes_are_the_same_in_lua),
        cmocka_unit_test(test_panthera_nodes_fields_that_are_tables_are_warned_of_once_a_name),
        cmocka_unit_test(test_panthera_nodes_of_templates_name_their_parents_as_the_pack_does),
        cmocka_unit_test(test_panthera_nodes_have_one_type_a_name_whether_triggers_set_it_or_not),
        cmocka_unit_test(test_panthera_nodes_of_the_spelling_of_triggers_count_first),
        cmocka_unit_test(test_panthera_nodes_say_where_unknown_properties_rest),
        cmocka_unit_test(test_panthera_nodes_fill_a_pack_to_its_last_value),
        cmocka_unit_test(test_panthera_nodes_that_are_moved_count_once),
        cmocka_unit_test(test_panthera_nodes_leave_room_for_layers),
        cmocka_unit_test(test_panthera_nodes_moved_beyond_a_pack_are_refused),
        cmocka_unit_test(test_panthera_nodes_moved_through_templates_beyond_a_pack_are_refused),
        cmocka_unit_test(test_panthera_nodes_left_alone_by_an_animation_have_its_clip),
        cmocka_unit_test(test_panthera_nodes_left_alone_close_a_loop_only_if_asked_to),
        cmocka_unit_test(test_panthera_nodes_moved_after_the_end_are_warned_of_once_an_animation),
    };
    return cmocka_run_group_tests_name("panthera_nodes", tests, folder_make, folder_remove);
}
