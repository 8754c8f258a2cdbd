// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The Panthera importer up to its model: both forms of a project, what files leave out, the order
// of keys, and every way to refuse a file. Numbers in names are those of the conformance list that
// the importer is measured against.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "import.h"
#include "panthera.h"
#include "temp_folder.h"

/// A project as it was read, with all that was said about it.
struct loaded {
    struct scene scene;
    struct panthera panthera;
    struct report report;
    struct panthera_project *project;
    char messages[16384];
};

static struct loaded loaded;

static void loaded_free(void)
{
    arena_free(&loaded.panthera.scratch);
    scene_free(&loaded.scene);
}

/// Reads a copy of exactly this size, so that a read past the end is found.
static bool load_bytes(const char *file, const void *bytes, size_t size_bytes)
{
    void *const copy = malloc(size_bytes > 0 ? size_bytes : 1);
    memcpy(copy, bytes, size_bytes);
    memset(&loaded, 0, sizeof loaded);
    FILE *const out = fmemopen(loaded.messages, sizeof loaded.messages, "w");
    loaded.report = (struct report){.out = out, .file = file};
    loaded.panthera = (struct panthera){.report = &loaded.report, .scene = &loaded.scene};
    const bool ok = panthera_file_read(&loaded.panthera, file, copy, size_bytes, &loaded.project);
    fclose(out);
    loaded.report.out = NULL;
    free(copy);
    return ok;
}

/// Returns a text with double quotes where single ones are: JSON that can be written in C.
static const char *quoted(const char *text)
{
    static char copy[16384];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return copy;
}

/// Reads a text that must be fine.
static const struct panthera_project *load(const char *text)
{
    if (!load_bytes("folder/test", text, strlen(text))) {
        fail_msg("%s", loaded.report.first_error);
    }
    assert_int_equal(loaded.report.error_count, 0);
    return loaded.project;
}

#define HEAD "{'type':'animation_editor','version':1,'format':'json','data':{"
#define TAIL "}}"

/// Reads a project of one animation that lasts 10 s.
/// @param keys JSON, with single quotes
static const struct panthera_animation *load_keys(const char *keys)
{
    char text[8192];
    snprintf(text, sizeof text,
             HEAD "'animations':[{'animation_id':'a','duration':10,'animation_keys':[%s]}]" TAIL,
             keys);
    const struct panthera_project *const project = load(quoted(text));
    assert_int_equal(project->animation_count, 1);
    return &project->animations[0];
}

static void assert_said(const char *text)
{
    if (!strstr(loaded.messages, text)) {
        fail_msg("\"%s\" is not among the messages:\n%s", text, loaded.messages);
    }
}

/// @param line what follows "folder/test: error: "
static void assert_text_refused(const char *text, const char *line)
{
    if (load_bytes("folder/test", text, strlen(text))) {
        loaded_free();
        fail_msg("read, but expected: %s", line);
    }
    char expected[512];
    snprintf(expected, sizeof expected, "folder/test: error: %s", line);
    assert_string_equal(loaded.report.first_error, expected);
    assert_int_equal(loaded.report.error_count, 1);
    loaded_free();
}

static void assert_refused(const char *text, const char *line)
{
    assert_text_refused(quoted(text), line);
}

/// @param key JSON of one key, with single quotes
static void assert_key_refused(const char *key, const char *line)
{
    char text[4096];
    snprintf(text, sizeof text,
             HEAD "'animations':[{'animation_id':'a','animation_keys':[%s]}]" TAIL, key);
    assert_refused(text, line);
}

// -- Projects

static void test_panthera_project_is_read_whole(void **state)
{
    (void)state;
    const struct panthera_project *const project = load(quoted(
        HEAD "'name':'menu','metadata':{'gui_path':'/a/b.gui','fps':60,'gizmo_steps':{'time':0.1},"
             "'layers':[{'name':'up','color':'73E84C'},{}]},"
             "'nodes':[{'node_id':'b','parent':'a','node_type':'text','text':'Hi','visible':true,"
             "'position_x':1.5,'unknown':[]},{'node_id':'a','font_size':40}],"
             "'animations':[{'animation_id':'z','duration':2.5,'initial_state':'y',"
             "'animation_keys':[{'key_type':'tween','node_id':'a','property_id':'position_x',"
             "'start_time':1,'duration':0.5,'start_value':-1,'end_value':3,'easing':'outsine',"
             "'easing_custom':[0,0.25,1],'start_data':'s','data':'d','event_id':'e','id':7}]},"
             "{'animation_id':'y'}]" TAIL));
    assert_string_equal(loaded.messages, "");
    assert_string_equal(project->file, "folder/test");
    assert_string_equal(project->name, "menu");
    assert_string_equal(project->gui_path, "/a/b.gui");
    assert_true(project->fps == 60);
    assert_int_equal(project->layer_count, 2);
    assert_string_equal(project->layers[0].name, "up");
    assert_string_equal(project->layers[0].colour, "73E84C");
    assert_string_equal(project->layers[1].name, "");

    assert_int_equal(project->node_count, 2);
    const struct panthera_node *const node = &project->nodes[1];
    assert_string_equal(node->id, "b");
    assert_int_equal(node->value_count, 5);
    assert_string_equal(node->values[0].property, "node_type");
    assert_string_equal(node->values[0].text, "text");
    assert_string_equal(node->values[1].property, "parent");
    assert_string_equal(node->values[1].text, "a");
    assert_string_equal(node->values[2].property, "position_x");
    assert_true(node->values[2].is_number && node->values[2].number == 1.5);
    assert_string_equal(node->values[3].property, "text");
    assert_string_equal(node->values[3].text, "Hi");
    assert_string_equal(node->values[4].property, "visible");
    assert_string_equal(node->values[4].text, "true");

    assert_int_equal(project->animation_count, 2);
    const struct panthera_animation *const animation = &project->animations[0];
    assert_string_equal(animation->id, "z");
    assert_true(animation->duration_s == 2.5);
    assert_string_equal(animation->initial_state, "y");
    assert_ptr_equal(panthera_animation_find(project, "z"), animation);
    assert_ptr_equal(panthera_animation_find(project, "y"), &project->animations[1]);
    assert_null(panthera_animation_find(project, "x"));
    assert_int_equal(animation->key_count, 1);
    const struct panthera_key *const key = &animation->keys[0];
    assert_int_equal(key->kind, PANTHERA_TWEEN);
    assert_string_equal(key->node, "a");
    assert_string_equal(key->property, "position_x");
    assert_true(key->start_s == 1 && key->duration_s == 0.5);
    assert_true(key->start_value == -1 && key->end_value == 3);
    assert_int_equal(key->easing, trp_easing_find("outsine"));
    assert_int_equal(key->samples->count, 3);
    assert_true(key->samples->values[1] == 0.25);
    assert_string_equal(key->start_text, "s");
    assert_string_equal(key->text, "d");
    assert_string_equal(key->event, "e");
    loaded_free();
}

static void test_panthera_kinds_of_keys_have_names_and_numbers(void **state)
{
    (void)state;
    const struct panthera_animation *const animation =
        load_keys("{'key_type':0,'node_id':'n','property_id':'p0','start_time':0},"
                  "{'key_type':'trigger','node_id':'n','property_id':'p1','start_time':1},"
                  "{'key_type':1,'node_id':'n','property_id':'p2','start_time':2},"
                  "{'key_type':'tween','node_id':'n','property_id':'p3','start_time':3},"
                  "{'key_type':2,'property_id':'event','event_id':'x','start_time':4},"
                  "{'key_type':'event','property_id':'event','event_id':'y','start_time':5},"
                  "{'key_type':3,'property_id':'b','start_time':6},"
                  "{'key_type':'animation','property_id':'c','start_time':7}");
    assert_int_equal(animation->key_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(animation->keys[i].kind, i / 2);
    }
    assert_int_equal(animation->group_count, 7);
    assert_string_equal(animation->groups[4].property, "event");
    assert_int_equal(animation->groups[4].key_count, 2);
    loaded_free();
    assert_int_equal(load_keys("{'key_type':'shader','property_id':'p'},"
                               "{'key_type':4,'property_id':'p'}")
                         ->key_count,
                     0);
    assert_int_equal(loaded.report.warning_count, 2);
    assert_said("folder/test: warning: data.animations[0].animation_keys[1].key_type: is no known "
                "type of key; the key is skipped [panthera.key_type]");
    loaded_free();
}

static void test_panthera_event_without_a_name_is_skipped(void **state)
{
    (void)state;
    assert_int_equal(load_keys("{'key_type':'event','property_id':'event'}")->key_count, 0);
    assert_said("data.animations[0].animation_keys[0]: an event without \"event_id\"; skipped "
                "[panthera.event]");
    loaded_free();
}

static void test_panthera_wrapper_is_checked(void **state)
{
    (void)state;
    assert_refused("[]", "must be an object [json.type]");
    assert_refused("{}", "\"type\" is missing, which is \"animation_editor\" in Panthera projects "
                         "[panthera.type]");
    assert_refused("{'type':'animation_editor'}", "\"data\" is missing [json.missing]");
    assert_refused("{'type':'animation_editor','data':null}", "\"data\" is missing [json.missing]");
    assert_refused("{'type':'animation_editor','data':[1]}", "data: must be an object [json.type]");
    assert_refused("{'type':'atlas','data':{}}",
                   "is a project of the type \"atlas\", only \"animation_editor\" is supported "
                   "[panthera.type]");
    assert_text_refused("return { type = 'atlas', data = {} }",
                        "is a project of the type \"atlas\", only \"animation_editor\" is "
                        "supported [panthera.type]");
    assert_text_refused("return {}", "must be an object [json.type]");
    assert_int_equal(load("return { data = {} }")->animation_count, 0);
    loaded_free();
    load(quoted("{'type':'animation_editor','version':2,'data':{}}"));
    assert_said("folder/test: warning: is of version 2, read as version 1 [panthera.version]");
    loaded_free();
    load(quoted("{'type':'animation_editor','version':'1','data':{}}"));
    assert_said("folder/test: warning: version: must be a number; read as version 1 "
                "[panthera.version]");
    loaded_free();
}

/// What the animations of a file rest on.
static void test_panthera_wrong_frame_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_refused(HEAD "'animations':{'a':1}" TAIL,
                   "data.animations: must be an array [json.type]");
    assert_refused(HEAD "'animations':[1]" TAIL,
                   "data.animations[0]: must be an object [json.type]");
    assert_refused(HEAD "'animations':[{}]" TAIL,
                   "data.animations[0]: \"animation_id\" is missing or empty [panthera.missing]");
    assert_refused(HEAD "'animations':[{'animation_id':''}]" TAIL,
                   "data.animations[0]: \"animation_id\" is missing or empty [panthera.missing]");
    assert_refused(HEAD "'animations':[{'animation_id':1}]" TAIL,
                   "data.animations[0].animation_id: must be a string [json.type]");
    assert_refused(HEAD "'animations':[{'animation_id':'a','duration':'1'}]" TAIL,
                   "data.animations[0].duration: must be a number [json.type]");
    assert_refused(HEAD "'animations':[{'animation_id':'a','animation_keys':1}]" TAIL,
                   "data.animations[0].animation_keys: must be an array [json.type]");
    assert_refused(HEAD "'nodes':1" TAIL, "data.nodes: must be an array [json.type]");
    assert_refused(HEAD "'metadata':1" TAIL, "data.metadata: must be an object [json.type]");
    assert_refused(HEAD "'metadata':{'layers':'x'}" TAIL,
                   "data.metadata.layers: must be an array [json.type]");
    assert_refused(HEAD "'metadata':{'template_animation_paths':{'a':3}}" TAIL,
                   "data.metadata.template_animation_paths.a: must be a string [json.type]");
    assert_refused(HEAD "'metadata':{'template_animation_paths':['a']}" TAIL,
                   "data.metadata.template_animation_paths: must be an object [json.type]");
}

/// Checks that both neighbours of a broken key are there, and one warning.
/// @param said behind the list of keys
static void check_broken_key(const char *key, const char *said)
{
    char keys[512];
    char line[256];
    snprintf(keys, sizeof keys,
             "{'key_type':'tween','property_id':'a'},%s,{'key_type':'tween','property_id':'z'}",
             key);
    const struct panthera_animation *const animation = load_keys(keys);
    assert_int_equal(animation->key_count, 2);
    assert_string_equal(animation->keys[0].property, "a");
    assert_string_equal(animation->keys[1].property, "z");
    snprintf(line, sizeof line, "folder/test: warning: data.animations[0].animation_keys%s\n",
             said);
    assert_string_equal(loaded.messages, line);
    loaded_free();
}

static void test_panthera_broken_key_costs_itself_alone(void **state)
{
    static const char missing[] = "[1]: \"property_id\" is missing or empty; the key is skipped "
                                  "[panthera.missing]";
    static const struct {
        const char *key;
        const char *said;
    } cases[] = {
        {"1", "[1]: must be an object; the key is skipped [json.type]"},
        {"null", "[1]: must be an object; the key is skipped [json.type]"},
        {"{}", "[1]: \"key_type\" is missing or no name; the key is skipped [panthera.missing]"},
        {"{'key_type':null,'property_id':'p'}",
         "[1]: \"key_type\" is missing or no name; the key is skipped [panthera.missing]"},
        {"{'key_type':[],'property_id':'p'}",
         "[1]: \"key_type\" is missing or no name; the key is skipped [panthera.missing]"},
        {"{'key_type':'tween'}", missing},
        {"{'key_type':'tween','property_id':''}", missing},
        {"{'key_type':'tween','property_id':1}",
         "[1].property_id: must be a string; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','node_id':1}",
         "[1].node_id: must be a string; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','start_time':'1'}",
         "[1].start_time: must be a number; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','duration':[]}",
         "[1].duration: must be a number; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','start_value':true}",
         "[1].start_value: must be a number; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','end_value':'1'}",
         "[1].end_value: must be a number; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','end_value':1e31}",
         "[1].end_value: 1e+31 is too large; the key is skipped [panthera.range]"},
        {"{'key_type':'tween','property_id':'p','easing_custom':'x'}",
         "[1].easing_custom: must be an array; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','easing_custom':[1]}",
         "[1].easing_custom: needs at least two samples; the key is skipped [panthera.easing]"},
        {"{'key_type':'tween','property_id':'p','easing_custom':[0,'1']}",
         "[1].easing_custom[1]: must be a number of at most 1000; the key is skipped "
         "[panthera.easing]"},
        {"{'key_type':'tween','property_id':'p','easing_custom':[0,-1001]}",
         "[1].easing_custom[1]: must be a number of at most 1000; the key is skipped "
         "[panthera.easing]"},
        {"{'key_type':'trigger','property_id':'p','data':{'a':1}}",
         "[1].data: must be a string; the key is skipped [json.type]"},
        {"{'key_type':'trigger','property_id':'p','start_data':['a']}",
         "[1].start_data: must be a string; the key is skipped [json.type]"},
        {"{'key_type':'event','property_id':'event','event_id':1}",
         "[1].event_id: must be a string; the key is skipped [json.type]"},
        {"{'key_type':'tween','property_id':'p','is_editor_only':1}",
         "[1].is_editor_only: must be true or false; the key is skipped [json.type]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_broken_key(cases[i].key, cases[i].said);
    }
}

static void test_panthera_easing_of_a_wrong_type_is_linear(void **state)
{
    (void)state;
    const struct panthera_animation *const animation =
        load_keys("{'key_type':'tween','property_id':'p','easing':3}");
    assert_int_equal(animation->keys[0].easing, TRP_EASING_LINEAR);
    assert_said("animation_keys[0].easing: must be the name of an easing; linear [json.type]");
    assert_int_equal(loaded.report.warning_count, 1);
    loaded_free();
}

static void test_panthera_broken_details_cost_themselves_alone(void **state)
{
    (void)state;
    const struct panthera_project *const project = load(quoted(
        HEAD "'name':1,'metadata':{'gui_path':[],'fps':'60','layers':[3,{'name':'a','color':'x'},"
             "{'name':1},{'color':true}]},'nodes':[7,{},{'node_id':1},{'node_id':'a','parent':[1],"
             "'node_type':{},'size_x':'1','size_y':1e31,'size_z':3,'enabled':1,'visible':true,"
             "'text':[],'layer':'l'}],"
             "'animations':[{'animation_id':'a','initial_state':5}]" TAIL));
    static const char said[] =
        "data.name: must be a string; it is left out [json.type]\n"
        "data.metadata.gui_path: must be a string; it is left out "
        "[json.type]\n"
        "data.metadata.fps: must be a number; it is left out [json.type]\n"
        "data.metadata.layers[0]: must be an object; the layer is skipped "
        "[json.type]\n"
        "data.metadata.layers[2].name: must be a string; the layer is "
        "skipped [json.type]\n"
        "data.metadata.layers[3].color: must be a string; the layer is "
        "skipped [json.type]\n"
        "data.nodes[0]: must be an object; the node is skipped [json.type]\n"
        "data.nodes[1]: \"node_id\" is missing or empty; the node is skipped "
        "[panthera.missing]\n"
        "data.nodes[2].node_id: must be a string; the node is skipped "
        "[json.type]\n"
        "data.nodes[3].parent: must be a string; it is left out "
        "[json.type]\n"
        "data.nodes[3].node_type: must be a string; it is left out "
        "[json.type]\n"
        "data.nodes[3].size_x: must be a number; it is left out "
        "[json.type]\n"
        "data.nodes[3].size_y: 1e+31 is too large; it is left out "
        "[panthera.range]\n"
        "data.nodes[3].enabled: must be true or false; it is left out "
        "[json.type]\n"
        "data.nodes[3].text: must be a string; it is left out "
        "[json.type]\n"
        "data.animations[0].initial_state: must be a string; it is left out "
        "[json.type]\n";
    char expected[4096];
    size_t used = 0;
    for (const char *line = said; *line;) {
        const int length = (int)strcspn(line, "\n");
        used += (size_t)snprintf(expected + used, sizeof expected - used,
                                 "folder/test: warning: %.*s\n", length, line);
        line += length + 1;
    }
    assert_string_equal(loaded.messages, expected);
    assert_int_equal(project->layer_count, 1);
    assert_string_equal(project->layers[0].name, "a");
    assert_int_equal(project->node_count, 1);
    const struct panthera_node *const node = &project->nodes[0];
    assert_int_equal(node->value_count, 3);
    assert_string_equal(node->values[0].property, "layer");
    assert_string_equal(node->values[1].property, "size_z");
    assert_string_equal(node->values[2].property, "visible");
    assert_int_equal(project->animation_count, 1);
    assert_string_equal(project->animations[0].initial_state, "");
    loaded_free();
}

static void test_panthera_numbers_are_texts_as_lua_writes_them(void **state)
{
    static const struct {
        const char *number;
        const char *text;
    } cases[] = {
        {"0", "0"},
        {"-0", "0"},
        {"-7", "-7"},
        {"42", "42"},
        {"1.0", "1"},
        {"0.1", "0.1"},
        {"-2.5e3", "-2500"},
        {"1e15", "1e+15"},
        {"123456789012345678", "123456789012345678"},
        {"9223372036854775808", "9.2233720368548e+18"},
        {"0.12345678901234567", "0.12345678901235"},
        {"true", "true"},
        {"false", "false"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int is_lua = 0; is_lua < 2; is_lua++) {
            char text[1024];
            const char *const number = cases[i].number;
            snprintf(text, sizeof text,
                     is_lua ? "return {data={nodes={{node_id='n',text=%s}},animations={{"
                              "animation_id='a',duration=1,"
                              "animation_keys={{key_type='trigger',node_id='n',"
                              "property_id='text',start_data=%s,data=%s},{key_type='event',"
                              "property_id='event',event_id='e',start_time=1,data=%s}}}}}}"
                            : HEAD
                         "'nodes':[{'node_id':'n','text':%s}],'animations':[{'animation_id':'a',"
                         "'duration':1,"
                         "'animation_keys':[{'key_type':'trigger','node_id':'n',"
                         "'property_id':'text','start_data':%s,'data':%s},{'key_type':'event',"
                         "'property_id':'event','event_id':'e','start_time':1,'data':%s}]}]" TAIL,
                     number, number, number, number);
            const struct panthera_project *const project = load(is_lua ? text : quoted(text));
            const struct panthera_key *const keys = project->animations[0].keys;
            assert_string_equal(loaded.messages, "");
            assert_string_equal(project->nodes[0].values[0].text, cases[i].text);
            assert_string_equal(keys[0].start_text, cases[i].text);
            assert_string_equal(keys[0].text, cases[i].text);
            assert_string_equal(keys[1].text, cases[i].text);
            loaded_free();
        }
    }
}

/// Before a key nothing is said, or an empty text: these are two.
static void test_panthera_missing_start_data_is_none(void **state)
{
    (void)state;
    const struct panthera_animation *const animation =
        load_keys("{'key_type':'trigger','node_id':'n','property_id':'p1'},"
                  "{'key_type':'trigger','node_id':'n','property_id':'p2','start_data':null},"
                  "{'key_type':'trigger','node_id':'n','property_id':'p3','start_data':''},"
                  "{'key_type':'trigger','node_id':'n','property_id':'p4','start_data':'x'}");
    assert_string_equal(loaded.messages, "");
    assert_null(animation->keys[0].start_text);
    assert_null(animation->keys[1].start_text);
    assert_string_equal(animation->keys[2].start_text, "");
    assert_string_equal(animation->keys[3].start_text, "x");
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(animation->keys[i].text, "");
    }
    loaded_free();
    const struct panthera_project *const project =
        load("return {data={animations={{animation_id='a',animation_keys={"
             "{key_type='trigger',property_id='p1',start_data=nil},"
             "{key_type='trigger',property_id='p2',start_data=''}}}}}}");
    assert_null(project->animations[0].keys[0].start_text);
    assert_string_equal(project->animations[0].keys[1].start_text, "");
    loaded_free();
}

static void test_panthera_nulls_are_absent(void **state)
{
    (void)state;
    const struct panthera_project *const project = load(
        quoted(HEAD "'name':null,'nodes':null,'metadata':null,'animations':[{'animation_id':'a',"
                    "'duration':null,'initial_state':null,'animation_keys':[{'key_type':'tween',"
                    "'property_id':'p','node_id':null,'start_value':null,'easing':null,"
                    "'easing_custom':null,'data':null,'is_editor_only':null}]}]" TAIL));
    assert_string_equal(loaded.messages, "");
    assert_int_equal(project->animations[0].key_count, 1);
    loaded_free();
}

static void test_panthera_rest_is_what_nodes_say(void **state)
{
    (void)state;
    const struct panthera_project *const project = load(
        quoted(HEAD "'nodes':[{'node_id':'a','position_x':2,'text':'Hi','enabled':true}]" TAIL));
    double number = -1;
    const char *text = NULL;
    assert_true(panthera_rest_number(project, "a", "position_x", &number));
    assert_true(number == 2);
    assert_true(panthera_rest_number(project, "a", "position_y", &number));
    assert_true(number == 0);
    assert_false(panthera_rest_number(project, "b", "position_y", &number));
    assert_false(panthera_rest_number(project, "a", "speed", &number));
    assert_false(panthera_rest_number(project, "a", "text", &number));
    assert_true(panthera_rest_text(project, "a", "text", &text));
    assert_string_equal(text, "Hi");
    assert_true(panthera_rest_text(project, "a", "texture", &text));
    assert_string_equal(text, "");
    assert_true(panthera_rest_text(project, "a", "enabled", &text));
    assert_string_equal(text, "true");
    assert_true(panthera_rest_text(project, "a", "visible", &text));
    assert_string_equal(text, "false");
    assert_false(panthera_rest_text(project, "a", "position_x", &text));
    assert_false(panthera_rest_text(project, "b", "text", &text));
    loaded_free();
}

// -- The conformance list

/// A key of a test.
struct tween {
    const char *node;
    const char *property;
    double start_s;
    double duration_s;
    double start_value;
    double end_value;
    bool is_editor_only;
};

static const struct panthera_animation *load_tweens(const struct tween *tweens, size_t count)
{
    char text[4096];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tween *const at = &tweens[i];
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "%s{'key_type':'tween','node_id':'%s','property_id':'%s','start_time':%g,'duration':%g,"
            "'start_value':%g,'end_value':%g,'is_editor_only':%s}",
            i > 0 ? "," : "", at->node, at->property, at->start_s, at->duration_s, at->start_value,
            at->end_value, at->is_editor_only ? "true" : "false");
    }
    return load_keys(text);
}

#define LOAD_TWEENS(tweens) load_tweens((tweens), sizeof(tweens) / sizeof *(tweens))

static void test_panthera_10_editor_only_keys_hand_their_start_over(void **state)
{
    static const struct tween tweens[] = {
        {"n", "p", 3, 1, 4, 40, false}, // starts as that at 1, the first of two
        {"n", "p", 1, 1, 2, 20, true},    {"n", "p", 2, 1, 3, 30, true},
        {"n", "p", 0, 1, 1, 10, false},   {"n", "p", 4, 1, 5, 50, true}, // hands over to nobody
        {"n", "q", 0, 1, 6, 60, true}, // of another property, which nobody else has
        {"m", "p", 2.5, 1, 7, 70, false},
    };
    (void)state;
    const struct panthera_animation *const animation = LOAD_TWEENS(tweens);
    assert_string_equal(loaded.messages, "");
    assert_int_equal(animation->key_count, 3);
    assert_int_equal(animation->group_count, 2);
    const struct panthera_group *const group = &animation->groups[0];
    assert_string_equal(group->node, "n");
    assert_string_equal(group->property, "p");
    assert_int_equal(group->key_count, 2);
    assert_true(group->keys[0].start_value == 1 && group->keys[0].end_value == 10);
    assert_true(group->keys[1].start_value == 2 && group->keys[1].end_value == 40);
    assert_true(group->keys[1].start_s == 3);
    assert_string_equal(animation->groups[1].node, "m");
    assert_true(animation->groups[1].keys[0].start_value == 7);
    assert_true(animation->keys[2].start_value == 2);
    loaded_free();
}

/// The order of groups is that of the keys that are left.
static void test_panthera_10_group_starts_with_its_first_key_that_is_left(void **state)
{
    static const struct tween tweens[] = {
        {"n", "p", 0, 1, 1, 0, true},
        {"n", "p", 2, 1, 2, 0, false},
        {"n", "q", 1, 1, 3, 0, false},
    };
    (void)state;
    const struct panthera_animation *const animation = LOAD_TWEENS(tweens);
    assert_string_equal(animation->groups[0].property, "q");
    assert_string_equal(animation->groups[1].property, "p");
    assert_true(animation->groups[1].keys[0].start_value == 1);
    loaded_free();
}

/// Also where the editor alone shows that key.
static void test_panthera_first_key_says_the_kind_of_a_group(void **state)
{
    static const char *const kinds[] = {"trigger", "tween", "event", "animation"};
    (void)state;
    for (int first = 0; first < 4; first++) {
        for (int second = 0; second < 4; second++) {
            for (int is_editor_only = 0; is_editor_only < 2; is_editor_only++) {
                char keys[512];
                snprintf(keys, sizeof keys,
                         "{'key_type':'%s','node_id':'n','property_id':'p','start_time':2,"
                         "'event_id':'e','end_value':2},"
                         "{'key_type':'%s','node_id':'n','property_id':'p','start_time':1,"
                         "'start_value':7,'event_id':'e','end_value':1,'is_editor_only':%s}",
                         kinds[second], kinds[first], is_editor_only ? "true" : "false");
                const struct panthera_animation *const animation = load_keys(keys);
                assert_int_equal(animation->group_count, 1);
                const struct panthera_group *const group = &animation->groups[0];
                assert_int_equal(group->kind, first);
                assert_int_equal(group->key_count, 2 - is_editor_only);
                assert_int_equal(group->keys[group->key_count - 1].kind, second);
                assert_true(group->keys[0].start_value == 7); // its own, or handed over
                assert_true(group->keys[0].end_value == 1 + is_editor_only);
                assert_int_equal(animation->key_count, group->key_count);
                assert_true(animation->keys[0].start_value == 7);
                loaded_free();
            }
        }
    }
}

/// Texts are not handed over: what there is before a key is its own.
static void test_panthera_10_editor_only_triggers_hand_over_no_text(void **state)
{
    (void)state;
    const struct panthera_animation *const animation =
        load_keys("{'key_type':'trigger','node_id':'n','property_id':'p','start_data':'a',"
                  "'data':'b','is_editor_only':true},"
                  "{'key_type':'trigger','node_id':'n','property_id':'p','start_time':1,"
                  "'data':'c'}");
    assert_int_equal(animation->key_count, 1);
    assert_null(animation->keys[0].start_text);
    assert_string_equal(animation->keys[0].text, "c");
    loaded_free();
}

static void test_panthera_26_unknown_easing_is_linear_with_one_warning_a_name(void **state)
{
    (void)state;
    const struct panthera_animation *const animation =
        load_keys("{'key_type':'tween','property_id':'a','easing':'OutSine'},"
                  "{'key_type':'tween','property_id':'b','easing':'OutSine'},"
                  "{'key_type':'tween','property_id':'c','easing':'wobble'},"
                  "{'key_type':'tween','property_id':'d','easing':''},"
                  "{'key_type':'tween','property_id':'e','easing':'inexpo'}");
    assert_int_equal(animation->key_count, 5);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(animation->keys[i].easing, TRP_EASING_LINEAR);
    }
    assert_int_equal(animation->keys[4].easing, trp_easing_find("inexpo"));
    assert_int_equal(loaded.report.warning_count, 2);
    assert_said("animation_keys[0].easing: \"OutSine\" is no known easing; linear");
    assert_said("animation_keys[2].easing: \"wobble\" is no known easing; linear");
    loaded_free();
}

static void test_panthera_26_what_is_missing_is_zero(void **state)
{
    (void)state;
    const struct panthera_key *const key =
        load_keys("{'key_type':'tween','property_id':'p'}")->keys;
    assert_string_equal(key->node, "");
    assert_true(key->start_s == 0 && key->duration_s == 0);
    assert_true(key->start_value == 0 && key->end_value == 0);
    assert_int_equal(key->easing, TRP_EASING_LINEAR);
    assert_null(key->samples);
    assert_null(key->start_text);
    assert_string_equal(key->text, "");
    assert_string_equal(key->event, "");
    loaded_free();
}

static void test_panthera_28_shorter_key_comes_first(void **state)
{
    static const struct tween tweens[] = {
        {"n", "p", 1, 2, 0, 20, false},
        {"n", "p", 1, 0, 0, 30, false},
        {"n", "p", 1, 0.5, 0, 10, false},
        {"n", "p", 0.5, 9, 0, 40, false},
    };
    (void)state;
    const struct panthera_group *const group = &LOAD_TWEENS(tweens)->groups[0];
    assert_true(group->keys[0].end_value == 40);
    assert_true(group->keys[1].end_value == 30);
    assert_true(group->keys[2].end_value == 10);
    assert_true(group->keys[3].end_value == 20);
    loaded_free();
}

static void test_panthera_29_ties_go_by_property_node_end_value_and_place(void **state)
{
    static const struct tween tweens[] = {
        {"b", "y", 0, 1, 1, 3, false}, {"b", "y", 0, 1, 2, 2, false},
        {"a", "y", 0, 1, 3, 9, false}, {"b", "x", 0, 1, 4, 9, false},
        {"B", "x", 0, 1, 5, 9, false}, {"b", "y", 0, 1, 6, 2, false},
        {"a", "Z", 0, 1, 7, 9, false}, {"a", "\xc3\xa9", 0, 1, 8, -9, false},
    };
    static const double order[] = {7, 5, 4, 3, 2, 6, 1, 8};
    (void)state;
    const struct panthera_animation *const animation = LOAD_TWEENS(tweens);
    assert_int_equal(animation->key_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(animation->keys[i].start_value == order[i]);
    }
    static const char *const groups[][2] = {{"a", "Z"}, {"B", "x"}, {"b", "x"},
                                            {"a", "y"}, {"b", "y"}, {"a", "\xc3\xa9"}};
    assert_int_equal(animation->group_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_string_equal(animation->groups[i].node, groups[i][0]);
        assert_string_equal(animation->groups[i].property, groups[i][1]);
    }
    loaded_free();
}

static void test_panthera_30_empty_lists_and_tables_are_the_same(void **state)
{
    static const char *const kinds[] = {"[]", "{}"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1024];
        const char *const no = kinds[i];
        snprintf(text, sizeof text,
                 HEAD "'nodes':%s,'metadata':{'layers':%s,'gizmo_steps':%s,'settings':%s,"
                      "'template_animation_paths':%s},'animations':[{'animation_id':'a',"
                      "'animation_keys':%s},{'animation_id':'b','animation_keys':[{"
                      "'key_type':'tween','property_id':'p','easing_custom':%s}]}]" TAIL,
                 no, no, no, no, no, no, no);
        const struct panthera_project *project = load(quoted(text));
        assert_string_equal(loaded.messages, "");
        assert_int_equal(project->node_count, 0);
        assert_int_equal(project->layer_count, 0);
        assert_int_equal(project->template_count, 0);
        assert_int_equal(project->animation_count, 2);
        assert_int_equal(project->animations[0].key_count, 0);
        assert_null(project->animations[1].keys[0].samples);
        loaded_free();
        snprintf(text, sizeof text, HEAD "'metadata':%s,'animations':%s" TAIL, no, no);
        project = load(quoted(text));
        assert_int_equal(project->animation_count, 0);
        loaded_free();
        snprintf(text, sizeof text, "{'type':'animation_editor','data':%s}", no);
        load(quoted(text));
        loaded_free();
    }
}

static void print_keys(FILE *out, const struct panthera_key *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct panthera_key *const key = &keys[i];
        fprintf(out, "%d|%s|%s|%a|%a|%a|%a|%u|%s|%s|%s", key->kind, key->node, key->property,
                key->start_s, key->duration_s, key->start_value, key->end_value, key->easing,
                key->start_text ? key->start_text : "(none)", key->text, key->event);
        for (uint32_t k = 0; key->samples && k < key->samples->count; k++) {
            fprintf(out, "|%a", key->samples->values[k]);
        }
        fprintf(out, "\n");
    }
}

/// Writes everything that a project has.
static void print_project(FILE *out, const struct panthera_project *project)
{
    fprintf(out, "%s|%s|%a\n", project->name, project->gui_path, project->fps);
    for (uint32_t i = 0; i < project->layer_count; i++) {
        fprintf(out, "layer %s|%s\n", project->layers[i].name, project->layers[i].colour);
    }
    for (uint32_t i = 0; i < project->node_count; i++) {
        const struct panthera_node *const node = &project->nodes[i];
        fprintf(out, "node %s\n", node->id);
        for (uint32_t k = 0; k < node->value_count; k++) {
            const struct panthera_value *const value = &node->values[k];
            fprintf(out, "%s|%a|%s\n", value->property, value->number, value->text);
        }
    }
    for (uint32_t i = 0; i < project->animation_count; i++) {
        const struct panthera_animation *const animation = &project->animations[i];
        fprintf(out, "animation %s|%a|%s\n", animation->id, animation->duration_s,
                animation->initial_state);
        print_keys(out, animation->keys, animation->key_count);
        for (uint32_t k = 0; k < animation->group_count; k++) {
            const struct panthera_group *const group = &animation->groups[k];
            fprintf(out, "group %s|%s|%d\n", group->node, group->property, group->kind);
            print_keys(out, group->keys, group->key_count);
        }
    }
    for (uint32_t i = 0; i < project->template_count; i++) {
        fprintf(out, "template %s\n", project->templates[i].node);
        if (project->templates[i].project) {
            print_project(out, project->templates[i].project);
        }
    }
}

static void test_panthera_31_lua_and_json_give_the_same(void **state)
{
    static const char json[] =
        HEAD "'name':'n','nodes':[{'node_id':'a','size_x':1.5,'enabled':true}],'metadata':{"
             "'fps':60,'layers':[]},'animations':[{'animation_id':'a','duration':2,"
             "'animation_keys':[{'key_type':'tween','node_id':'x','property_id':'p',"
             "'end_value':0.1,'duration':1,'easing_custom':[0,0.5,1]},{'key_type':'trigger',"
             "'node_id':'x','property_id':'text','data':'\xc3\xa9 \\'q\\' \\n','start_data':true},"
             "{'key_type':2,'property_id':'event','event_id':'e'}]},"
             "{'animation_id':'b','animation_keys':[]}]" TAIL;
    static const char lua[] =
        "-- made by hand\nreturn { type = \"animation_editor\", version = 1.0, data = {\n"
        "  name = 'n', nodes = { { node_id = 'a', size_x = 15e-1, enabled = true, }, },\n"
        "  metadata = { fps = 60, layers = {} },\n"
        "  animations = { { animation_id = 'a', duration = 2.0, animation_keys = {\n"
        "    { key_type = 'tween', node_id = 'x', property_id = 'p', end_value = .1,\n"
        "      duration = 1, easing_custom = { 0, 0.5, 1 } },\n"
        "    { key_type = 'trigger', node_id = 'x', property_id = 'text',\n"
        "      data = '\\u{e9} \"q\" \\n', start_data = true },\n"
        "    { key_type = 2, property_id = 'event', event_id = 'e' } } },\n"
        "    { animation_id = 'b', animation_keys = {} } } } }\n";
    char printed[2][4096] = {{0}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct panthera_project *const project = load(i == 0 ? quoted(json) : lua);
        assert_string_equal(loaded.messages, "");
        FILE *const out = fmemopen(printed[i], sizeof printed[i], "w");
        print_project(out, project);
        fclose(out);
        loaded_free();
    }
    assert_non_null(strstr(printed[0], "\xc3\xa9 \"q\" \n"));
    assert_string_equal(printed[0], printed[1]);
}

static void test_panthera_31_hostile_lua_is_refused(void **state)
{
    (void)state;
    assert_text_refused("return { data = { animations = {\n{ duration = os.time() } } } }",
                        "line 2: \"os\" is no data [panthera.lua]");
    assert_text_refused("return (function() while true do end end)()",
                        "line 1: \"function\" is no data [panthera.lua]");
    assert_text_refused("return { data = ", "line 1: the module ends too early [panthera.lua]");
}

static void test_panthera_32_of_one_id_the_last_one_counts(void **state)
{
    (void)state;
    const struct panthera_project *const project =
        load(quoted(HEAD "'animations':[{'animation_id':'a','duration':1},{'animation_id':'b',"
                         "'duration':2},{'animation_id':'a','duration':3},{'animation_id':'c'},"
                         "{'animation_id':'a','duration':4}],'nodes':[{'node_id':'x','size_x':1},"
                         "{'node_id':'x','size_x':2}]" TAIL));
    assert_int_equal(project->animation_count, 3);
    assert_string_equal(project->animations[0].id, "b");
    assert_string_equal(project->animations[1].id, "c");
    assert_string_equal(project->animations[2].id, "a");
    assert_true(project->animations[2].duration_s == 4);
    assert_ptr_equal(panthera_animation_find(project, "a"), &project->animations[2]);
    assert_ptr_equal(panthera_animation_find(project, "b"), &project->animations[0]);
    double size = 0;
    assert_true(panthera_rest_number(project, "x", "size_x", &size));
    assert_true(size == 2);
    assert_int_equal(loaded.report.warning_count, 3);
    assert_said("data.animations: \"a\" is there again; the last one counts [panthera.duplicate]");
    loaded_free();
}

static void test_panthera_35_booleans_are_texts(void **state)
{
    (void)state;
    const struct panthera_animation *const animation =
        load_keys("{'key_type':'trigger','property_id':'a','start_data':'true','data':'false'},"
                  "{'key_type':'trigger','property_id':'b','start_data':true,'data':false}");
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(animation->keys[i].start_text, "true");
        assert_string_equal(animation->keys[i].text, "false");
    }
    loaded_free();
}

static void test_panthera_38_wrong_times_and_numbers_are_refused(void **state)
{
    (void)state;
    assert_refused(HEAD "'animations':[{'animation_id':'a','duration':-1}]" TAIL,
                   "data.animations[0].duration: -1 s is no time on a timeline [panthera.time]");
    assert_key_refused("{'key_type':'tween','property_id':'p','duration':-0.5}",
                       "data.animations[0].animation_keys[0].duration: -0.5 s is no time on a "
                       "timeline [panthera.time]");
    assert_key_refused("{'key_type':'tween','property_id':'p','start_time':-1e-9}",
                       "data.animations[0].animation_keys[0].start_time: -1e-09 s is no time on a "
                       "timeline [panthera.time]");
    assert_key_refused("{'key_type':'tween','property_id':'p','start_time':1e10}",
                       "data.animations[0].animation_keys[0].start_time: 1e+10 s is no time on a "
                       "timeline [panthera.time]");
    assert_key_refused("{'key_type':'tween','property_id':'p','duration':1000000001}",
                       "data.animations[0].animation_keys[0].duration: 1e+09 s is no time on a "
                       "timeline [panthera.time]");
    assert_key_refused("{'key_type':'shader','property_id':7,'duration':-1}", // broken otherwise
                       "data.animations[0].animation_keys[0].duration: -1 s is no time on a "
                       "timeline [panthera.time]");
    assert_text_refused("return { data = { animations = { { animation_id = 'a',\n"
                        "duration = 1e999 } } } }",
                        "line 2: a number is not finite [panthera.lua]");
    assert_text_refused("return { data = { animations = { { animation_id = 'a',\n"
                        "duration = 0/0 } } } }",
                        "line 2: unexpected '/' [panthera.lua]");
    assert_text_refused("return { data = { animations = { { animation_id = 'a',\n"
                        "duration = nan } } } }",
                        "line 2: \"nan\" is no data [panthera.lua]");
    assert_refused(HEAD "'animations':[{'animation_id':'a','duration':NaN}]" TAIL,
                   "line 1, column 111: invalid token near 'NaN' [json.syntax]");
    assert_text_refused("return { data = { animations = { { animation_id = 'a',\n"
                        "duration = -1 } } } }",
                        "data.animations[0].duration: -1 s is no time on a timeline "
                        "[panthera.time]");
    assert_int_equal(load_keys("{'key_type':'tween','property_id':'p','duration':-0.0},"
                               "{'key_type':'tween','property_id':'p','duration':1e9}")
                         ->key_count,
                     2);
    loaded_free();
}

// -- In the pack

static char folder[200];

static int folder_make(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s", temp_folder_make());
    return folder[0] ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

static void write_text(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// Returns the text that a property of the pack's only clip has at a time.
static const char *text_at(const trp_pack *pack, const char *path, double time_s)
{
    static _Alignas(TRP_ALIGNMENT) unsigned char scratch[1 << 16];
    trp_property_set set;
    trp_property property;
    trp_clip clip;
    float values[8];
    const trp_sample_request request = {.clip = &clip, .time_s = time_s, .values = values};
    const trp_sample_args args = {.requests = &request,
                                  .request_count = 1,
                                  .scratch = scratch,
                                  .scratch_bytes = sizeof scratch};
    assert_int_equal(trp_pack_property_set(pack, 0, &set), TRP_OK);
    const uint32_t index = trp_property_set_find(&set, trp_name_hash(path));
    assert_int_equal(trp_property_set_property(&set, index, &property), TRP_OK);
    assert_int_equal(trp_pack_clip(pack, 0, &clip), TRP_OK);
    assert_true(clip.value_count <= sizeof values / sizeof *values);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    return trp_property_set_text(&set, values[property.first_value]);
}

/// Before its first key a property has what that key says, else what the node says, else nothing.
static void test_panthera_4_without_start_data_a_property_rests(void **state)
{
    static const struct {
        const char *path;
        const char *before;
    } cases[] = {
        {"/node/text", "rest"}, {"/node/texture", ""},  {"/node/layer", ""},
        {"/none/text", ""},     {"/said/text", "said"}, {"/seven/text", "7"},
    };
    char path[300];
    void *bytes;
    size_t size_bytes;
    trp_pack pack;
    (void)state;
    write_text("main.lua",
               "return {data={nodes={{node_id='node',text='rest',texture='rest',layer='rest'},"
               "{node_id='said',text='rest'}},animations={{animation_id='a',duration=2,"
               "animation_keys={"
               "{key_type='trigger',node_id='node',property_id='text',data='d',start_time=1},"
               "{key_type='trigger',node_id='node',property_id='texture',data='d',start_time=1,"
               "start_data=''},"
               "{key_type='trigger',node_id='node',property_id='layer',data='d',start_time=1,"
               "start_data=\"\"},"
               "{key_type='trigger',node_id='none',property_id='text',data='d',start_time=1},"
               "{key_type='trigger',node_id='said',property_id='text',data='d',start_time=1,"
               "start_data='said'},"
               "{key_type='trigger',node_id='seven',property_id='text',data='d',start_time=1,"
               "start_data=7}}}}}}");
    snprintf(path, sizeof path, "%s/main.lua", folder);
    const struct compile_input input = {
        .path = path, .metres_per_unit = 1, .error_mm = 0.1, .shell_m = 0.03};
    const struct compile_options options = {.inputs = &input, .input_count = 1};
    struct report report = {0};
    if (!compile_pack(&options, &bytes, &size_bytes, &report)) {
        fail_msg("%s", report.first_error);
    }
    assert_int_equal(report.warning_count, 0);
    assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(text_at(&pack, cases[i].path, -1), cases[i].before);
        assert_string_equal(text_at(&pack, cases[i].path, 0), cases[i].before);
        assert_string_equal(text_at(&pack, cases[i].path, 0.999), cases[i].before);
        assert_string_equal(text_at(&pack, cases[i].path, 1), "d");
    }
    free(bytes);
}

// -- Which files are read

static void test_panthera_files_are_told_by_their_content(void **state)
{
    static const struct {
        const char *text;
        bool is_project;
        bool is_project_in_lua; // where the file is named so
    } cases[] = {
        {"{'type':'animation_editor'}", true, true},
        {" {'data':{},'type':'animation_editor'}", true, true},
        {"{'type':'atlas','data':{}}", true, true}, // to be refused as such
        {"{'data':{}}", true, true},
        {"return {}", true, true},
        {"-- x\nreturn {}", true, true},
        {"{'asset':{'version':'2.0'}}", false, false},
        {"{'asset':{'version':'2.0','generator':'animation_editor'}}", false, false},
        {"{'asset':{'version':'2.0'},'data':{}}", false, false},
        {"{'type':'animation_editor'", false, false},
        {"{'type':'atlas'}", false, false},
        {"{'data':[]}", false, false},
        {"['animation_editor']", false, false},
        {"", false, false},
        {" \n", false, false},
        {"local M = {}\nreturn M", false, true},
        {"-- return", false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const text = quoted(cases[i].text);
        const bool is_in_lua = cases[i].is_project_in_lua;
        assert_int_equal(panthera_is_project("x", text, strlen(text)), cases[i].is_project);
        assert_int_equal(panthera_is_project("lua", text, strlen(text)), cases[i].is_project);
        assert_int_equal(panthera_is_project(".lua", text, strlen(text)), is_in_lua);
        assert_int_equal(panthera_is_project("a/b.lua", text, strlen(text)), is_in_lua);
    }
}

static void test_panthera_files_that_are_none_are_told_what_they_are(void **state)
{
    static const struct {
        const char *name;
        const char *text;
        const char *said; // behind the path
    } cases[] = {
        {"a.lua", "-- x\nlocal M = {}\nreturn M\n",
         "line 2: the text does not begin with \"return\" [panthera.lua]"},
        {"b.lua", "return {\nx = f() }", "line 2: \"f\" is no data [panthera.lua]"},
        {"c.txt", "local M = {}", "is neither glTF 2.0, STF nor Panthera 2.0 [import.format]"},
        {"d.lua", "", "the file is empty [import.format]"},
        {"e.json", "{\"type\":\"atlas\",\"data\":{}}",
         "is a project of the type \"atlas\", only \"animation_editor\" is supported "
         "[panthera.type]"},
        {"f.json", "{\"data\":{\"animations\":[]}}",
         "\"type\" is missing, which is \"animation_editor\" in Panthera projects [panthera.type]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[300];
        char said[600];
        struct scene scene;
        struct report report = {0};
        write_text(cases[i].name, cases[i].text);
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
        snprintf(said, sizeof said, "%s: error: %s", path, cases[i].said);
        assert_false(import_file(path, NULL, &scene, &report));
        assert_string_equal(report.first_error, said);
    }
}

static void test_panthera_refused_file_leaves_no_scene(void **state)
{
    (void)state;
    const char *const text = quoted(HEAD "'animations':[{'animation_id':'a','duration':-1}]" TAIL);
    struct scene scene;
    struct report report = {0};
    assert_false(import_panthera("folder/test", text, strlen(text), &scene, &report));
    const struct scene zero = {0};
    assert_memory_equal(&scene, &zero, sizeof zero);
    assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
    assert_string_equal(report.file, "folder/test");
}

static void test_panthera_every_beginning_of_a_file_is_refused(void **state)
{
    static const char lua[] = "return { data = { animations = { { animation_id = 'a' } } } }";
    (void)state;
    const char *const json = quoted(HEAD "'animations':[{'animation_id':'a','duration':1}]" TAIL);
    const char *const texts[] = {lua, json};
    for (int i = 0; i < 2; i++) {
        const size_t size_bytes = strlen(texts[i]);
        for (size_t cut = 0; cut < size_bytes; cut++) {
            assert_false(load_bytes("cut", texts[i], cut));
            assert_int_equal(loaded.report.error_count, 1);
            loaded_free();
        }
        assert_true(load_bytes("whole", texts[i], size_bytes));
        loaded_free();
    }
}

// -- Real files

static bool load_file(const char *folder_path, const char *name)
{
    static char path[512];
    void *bytes;
    size_t size_bytes;
    struct report report = {0};
    snprintf(path, sizeof path, "%s/%s", folder_path, name);
    assert_true(file_read(path, &bytes, &size_bytes, &report));
    const bool ok = load_bytes(path, bytes, size_bytes);
    free(bytes);
    return ok;
}

/// Returns how many lines of the messages end so.
static uint32_t count_said(const char *end)
{
    uint32_t count = 0;
    for (const char *at = loaded.messages; (at = strstr(at, end)) != NULL; at++) {
        count++;
    }
    return count;
}

/// Reads all projects of a folder, without a word said but that they are no longer where their
/// templates' paths begin.
/// @param key_count [in,out] keys of JSON files
static uint32_t load_folder(const char *path, uint32_t *key_count)
{
    uint32_t count = 0;
    DIR *const directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *const dot = strrchr(entry->d_name, '.');
        const bool is_json = dot && strcmp(dot, ".json") == 0;
        if (!is_json && !(dot && strcmp(dot, ".lua") == 0)) {
            continue;
        }
        if (!load_file(path, entry->d_name) ||
            count_said(" is taken instead [panthera.template]\n") != loaded.report.warning_count) {
            fail_msg("%s%s", loaded.report.first_error, loaded.messages);
        }
        assert_true(loaded.project->animation_count > 0);
        for (uint32_t i = 0; is_json && i < loaded.project->animation_count; i++) {
            *key_count += loaded.project->animations[i].key_count;
        }
        if (strcmp(entry->d_name, "example_template_animations_panthera.lua") == 0) {
            assert_non_null(panthera_template_find(loaded.project, "square_animation"));
            assert_non_null(panthera_template_find(loaded.project, "square_animation/dots"));
        }
        loaded_free();
        count++;
    }
    closedir(directory);
    return count;
}

static void test_panthera_real_files_are_read_whole(void **state)
{
    const char *const assets = getenv("TROUPE_ASSETS");
    char path[512];
    uint32_t key_count = 0;
    (void)state;
    if (!assets) {
        skip();
    }
    snprintf(path, sizeof path, "%s/samples/panthera", assets);
    assert_int_equal(load_folder(path, &key_count), 14);
    assert_int_equal(key_count, 573); // as other programs count them
    snprintf(path, sizeof path, "%s/data/panthera", assets);
    assert_int_equal(load_folder(path, &key_count), 2);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panthera_project_is_read_whole),
        cmocka_unit_test(test_panthera_kinds_of_keys_have_names_and_numbers),
        cmocka_unit_test(test_panthera_event_without_a_name_is_skipped),
        cmocka_unit_test(test_panthera_wrapper_is_checked),
        cmocka_unit_test(test_panthera_wrong_frame_is_refused_with_its_place),
        cmocka_unit_test(test_panthera_broken_key_costs_itself_alone),
        cmocka_unit_test(test_panthera_easing_of_a_wrong_type_is_linear),
        cmocka_unit_test(test_panthera_broken_details_cost_themselves_alone),
        cmocka_unit_test(test_panthera_numbers_are_texts_as_lua_writes_them),
        cmocka_unit_test(test_panthera_missing_start_data_is_none),
        cmocka_unit_test(test_panthera_nulls_are_absent),
        cmocka_unit_test(test_panthera_rest_is_what_nodes_say),
        cmocka_unit_test(test_panthera_10_editor_only_keys_hand_their_start_over),
        cmocka_unit_test(test_panthera_10_group_starts_with_its_first_key_that_is_left),
        cmocka_unit_test(test_panthera_first_key_says_the_kind_of_a_group),
        cmocka_unit_test(test_panthera_10_editor_only_triggers_hand_over_no_text),
        cmocka_unit_test(test_panthera_26_unknown_easing_is_linear_with_one_warning_a_name),
        cmocka_unit_test(test_panthera_26_what_is_missing_is_zero),
        cmocka_unit_test(test_panthera_28_shorter_key_comes_first),
        cmocka_unit_test(test_panthera_29_ties_go_by_property_node_end_value_and_place),
        cmocka_unit_test(test_panthera_30_empty_lists_and_tables_are_the_same),
        cmocka_unit_test(test_panthera_31_lua_and_json_give_the_same),
        cmocka_unit_test(test_panthera_31_hostile_lua_is_refused),
        cmocka_unit_test(test_panthera_32_of_one_id_the_last_one_counts),
        cmocka_unit_test(test_panthera_35_booleans_are_texts),
        cmocka_unit_test(test_panthera_38_wrong_times_and_numbers_are_refused),
        IN_FOLDER(test_panthera_4_without_start_data_a_property_rests),
        cmocka_unit_test(test_panthera_files_are_told_by_their_content),
        IN_FOLDER(test_panthera_files_that_are_none_are_told_what_they_are),
        cmocka_unit_test(test_panthera_refused_file_leaves_no_scene),
        cmocka_unit_test(test_panthera_every_beginning_of_a_file_is_refused),
        cmocka_unit_test(test_panthera_real_files_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
