// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Templates of Panthera projects: where they are looked for, which files are never read, what is
// said of those that are not there, and which template a node is in. Numbers in names are those of
// the conformance list that the importer is measured against.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
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

/// Returns the path of a file below the folder, whose own folders are made.
static const char *path_make(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *const file = fopen(path_make(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(path_make(name), 0777), 0);
}

/// @param target a path from the folder that the link is in
static void make_link(const char *name, const char *target)
{
    assert_int_equal(symlink(target, path_make(name)), 0);
}

/// Writes a project with one animation, named like its file, a node, and templates.
/// @param templates of a Lua table: "a = require('x')"; of JSON, where the name of the file ends
///                  so: "'a':'x'" with either quotes
static void write_project(const char *name, const char *templates)
{
    char text[2048];
    const char *const dot = strrchr(name, '.');
    const bool is_json = dot && strcmp(dot, ".json") == 0;
    snprintf(text, sizeof text,
             is_json ? "{'type':'animation_editor','data':{'nodes':[{'node_id':'n','size_x':%zu}],"
                       "'animations':[{'animation_id':'%s'}],"
                       "'metadata':{'template_animation_paths':{%s}}}}"
                     : "return { data = { nodes = { { node_id = 'n', size_x = %zu } }, animations "
                       "= { { animation_id = '%s' } }, metadata = { template_animation_paths = { "
                       "%s } } } }",
             strlen(name), name, templates);
    for (char *at = text; is_json && *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    write_text(name, text);
}

/// @param path from where the program is
static bool load_path(const char *path)
{
    void *bytes;
    size_t size_bytes;
    memset(&loaded, 0, sizeof loaded);
    assert_true(file_read(path, &bytes, &size_bytes, &loaded.report));
    FILE *const out = fmemopen(loaded.messages, sizeof loaded.messages, "w");
    loaded.report = (struct report){.out = out, .file = path};
    loaded.panthera = (struct panthera){.report = &loaded.report, .scene = &loaded.scene};
    const bool ok = panthera_file_read(&loaded.panthera, path, bytes, size_bytes, &loaded.project);
    fclose(out);
    loaded.report.out = NULL;
    free(bytes);
    return ok;
}

static bool load_file(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return load_path(path);
}

/// Reads a project that must be fine.
static void load(const char *name)
{
    if (!load_file(name)) {
        fail_msg("%s", loaded.messages);
    }
}

static void loaded_free(void)
{
    arena_free(&loaded.panthera.scratch);
    scene_free(&loaded.scene);
}

/// @param animation of the template's project: the name of its file; null where there must be none
static void assert_template(const char *node, const char *animation)
{
    const struct panthera_project *const project = panthera_template_find(loaded.project, node);
    if (!animation) {
        assert_null(project);
        return;
    }
    if (!project || !panthera_animation_find(project, animation)) {
        fail_msg("\"%s\" is \"%s\", not \"%s\":\n%s", node,
                 project ? project->animations[0].id : "", animation, loaded.messages);
    }
}

static void assert_said(const char *text)
{
    if (!strstr(loaded.messages, text)) {
        fail_msg("\"%s\" is not among the messages:\n%s", text, loaded.messages);
    }
}

/// Checks what is said of a node of the imported project, and that it has no template.
/// @param said follows the node's place
static void assert_warned(const char *node, const char *said)
{
    char text[1024];
    snprintf(text, sizeof text,
             ": warning: data.metadata.template_animation_paths.%s: %s [panthera.template]\n", node,
             said);
    assert_said(text);
    assert_template(node, NULL);
}

static void assert_missing(const char *node, const char *name)
{
    char said[512];
    snprintf(said, sizeof said, "\"%s\" is not found; its animations are skipped", name);
    assert_warned(node, said);
}

static void assert_outside(const char *node, const char *name)
{
    char said[512];
    snprintf(said, sizeof said, "\"%s\" leads outside the project; its animations are skipped",
             name);
    assert_warned(node, said);
}

/// Checks which files were read besides the imported one.
/// @param names below the folder, in the order of reading; null at the end
static void assert_files(const char *const *names)
{
    uint32_t count = 0;
    for (; names[count]; count++) {
        char path[1024];
        assert_true(count < loaded.scene.other_file_count);
        snprintf(path, sizeof path, "%s/%s", folder, names[count]);
        assert_string_equal(loaded.scene.other_files[count], path);
    }
    assert_int_equal(loaded.scene.other_file_count, count);
}

// -- In a Defold project

static void test_panthera_template_paths_begin_at_the_project_folder(void **state)
{
    static const char *const files[] = {"p/lib/b.json", "p/gui/button.json", "p/gui/c.lua",
                                        "p/d.e.lua",    "p/f/g.lua",         NULL};
    (void)state;
    write_text("p/game.project", "");
    write_project("p/gui/x/m.json", "'n':'/lib/b.json','no_slash':'lib/b.json','no_ending':'/lib/b'"
                                    ",'slashes':'//lib//./b.json','o':'/gui/button.json',"
                                    "'q':'gui.c','r':'d.e','s':'f.g'");
    write_project("p/lib/b.json", "");
    write_project("p/gui/button.json", "");
    write_project("p/gui/c.lua", "");
    write_project("p/d.e.lua", "");
    write_project("p/d/e.lua", "");
    write_project("p/f/g.lua", "");
    // All this is nearer.
    make_folder("p/gui/x/lib");
    make_folder("p/gui/lib");
    write_project("p/gui/x/b.json", "");
    write_project("p/gui/lib/b.lua", "");
    write_project("p/gui/x/gui/button.json", "");
    write_project("p/gui/x/button.json", "");
    write_project("p/gui/x/gui/c.lua", "");
    write_project("p/gui/x/d.e.lua", "");
    // And this further away.
    write_project("lib/b.json", "");
    load("p/gui/x/m.json");
    assert_string_equal(loaded.messages, "");
    assert_template("n", "p/lib/b.json");
    assert_template("no_slash", "p/lib/b.json");
    assert_template("no_ending", "p/lib/b.json");
    assert_template("slashes", "p/lib/b.json");
    assert_template("o", "p/gui/button.json");
    assert_template("q", "p/gui/c.lua");
    assert_template("r", "p/d.e.lua");
    assert_template("s", "p/f/g.lua");
    assert_int_equal(loaded.scene.other_file_count, 5); // each once
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(loaded.scene.other_files[i] + strlen(folder) + 1, files[i]);
    }
    loaded_free();
}

static void test_panthera_template_is_nowhere_else_than_in_the_project(void **state)
{
    (void)state;
    write_text("p/game.project", "");
    write_project("p/gui/m.lua",
                  "far = require('totally.other.folder.ok'), up = require('../n/ok'), "
                  "dots = require('..n.ok'), alone = require('ok'), path = '/ok.lua', "
                  "name = 'ok', above = 'top', folder = '/gui', root = '/', tmp = 'tmp/x.json'");
    write_project("p/gui/ok.lua", "");
    write_project("p/gui/folder/ok.lua", "");
    write_project("ok.lua", "");
    write_project("top.lua", "");
    write_project("n/ok.lua", "");
    load("p/gui/m.lua");
    assert_missing("far", "totally/other/folder/ok.lua");
    assert_outside("up", "../n/ok.lua"); // a path, as it is no name of a module
    assert_missing("dots", "..n.ok.lua");
    assert_missing("alone", "ok.lua");
    assert_missing("path", "/ok.lua");
    assert_missing("name", "ok");
    assert_missing("above", "top");
    assert_missing("folder", "/gui");
    assert_missing("root", "/");
    assert_missing("tmp", "tmp/x.json");
    assert_int_equal(loaded.report.warning_count, 10);
    assert_int_equal(loaded.scene.other_file_count, 0);
    loaded_free();
}

static void test_panthera_template_is_in_the_innermost_project(void **state)
{
    (void)state;
    write_text("game.project", "");
    write_text("p/game.project", "");
    make_folder("p/gui/game.project"); // no file
    write_text("p/gui/x/game.project.lua", "");
    write_project("p/gui/x/m.lua", "a = '/a.lua'");
    write_project("a.lua", "");
    write_project("p/a.lua", "");
    write_project("p/gui/a.lua", "");
    write_project("p/gui/x/a.lua", "");
    load("p/gui/x/m.lua");
    assert_template("a", "p/a.lua");
    assert_string_equal(loaded.messages, "");
    loaded_free();
}

static void test_panthera_template_of_a_template_is_in_the_same_project(void **state)
{
    static const char *const files[] = {"p/lib/a.lua", "p/c.lua", NULL};
    (void)state;
    write_text("p/game.project", "");
    write_project("p/gui/m.lua", "a = '/lib/a.lua'");
    write_project("p/lib/a.lua", "c = '/c.lua', d = '/d.lua'");
    write_project("p/c.lua", "");
    write_text("p/lib/game.project", ""); // of a project that is not the one of m.lua
    write_project("p/lib/c.lua", "");
    write_project("p/lib/d.lua", "");
    load("p/gui/m.lua");
    assert_template("a/c", "p/c.lua");
    assert_template("a/d", NULL);
    assert_said("p/lib/a.lua: warning: data.metadata.template_animation_paths.d: \"/d.lua\" is not "
                "found; its animations are skipped [panthera.template]");
    assert_files(files);
    loaded_free();
}

// -- Without one

static void test_panthera_template_without_a_project_is_the_nearest(void **state)
{
    static const char *const files[] = {
        "gui/parts/a_panthera.lua", "gui/parts/f/x.lua", "gui/menu/c.lua",  "gui/parts/b.json",
        "gui/parts/f.x.lua",        "top_of_all.lua",    "gui/parts/f.lua", NULL};
    (void)state;
    write_project("gui/menu/main.lua",
                  "a = require('gui.parts.a_panthera'), b = '/gui/parts/b.json', c = 'c', "
                  "d = 'gui.parts.a_panthera', e = 'gui/parts/f.x', f = '/top_of_all.lua', g = '', "
                  "h = 'gui/parts/f'");
    make_folder("gui/menu/gui"); // which have no such file
    make_folder("gui/gui");
    make_folder("gui/menu/top_of_all.lua");
    write_project("gui/parts/a_panthera.lua", "x = require('gui.parts.f.x'), z = 'c'");
    write_project("gui/parts/b.json", "");
    write_project("gui/parts/c.lua", ""); // not up from main.lua
    write_project("gui/menu/c.lua", "");
    write_project("c.lua", ""); // further away
    write_project("gui/parts/f.x.lua", "");
    write_project("gui/parts/f/x.lua", "");
    write_project("gui/parts/f.lua", "");
    write_project("top_of_all.lua", "");
    load("gui/menu/main.lua");
    assert_string_equal(loaded.messages, "");
    assert_template("a", "gui/parts/a_panthera.lua");
    assert_template("b", "gui/parts/b.json");
    assert_template("c", "gui/menu/c.lua");
    assert_template("d", "gui/parts/a_panthera.lua");
    assert_template("e", "gui/parts/f.x.lua");
    assert_template("f", "top_of_all.lua");
    assert_template("g", NULL);
    assert_template("h", "gui/parts/f.lua");
    assert_template("a/x", "gui/parts/f/x.lua");
    assert_template("d/x", "gui/parts/f/x.lua");
    assert_template("a/z", "gui/menu/c.lua");
    assert_template("a/y", NULL);
    assert_template("x", NULL);
    assert_template("a/", NULL);
    assert_template("", NULL);
    assert_files(files);

    double size = 0;
    assert_true(panthera_rest_number(loaded.project, "a/x/n", "size_x", &size));
    assert_true(size == (double)strlen("gui/parts/f/x.lua"));
    assert_false(panthera_rest_number(loaded.project, "a/x/m", "size_x", &size));
    loaded_free();
}

static void test_panthera_template_beside_is_taken_with_a_warning(void **state)
{
    (void)state;
    write_project("parts/main.lua",
                  "a = require('some.where.else.a'), b = '/no/b.lua', "
                  "c = 'no.c', d = '/other/d.json', e = 'no/e.json', f = 'no/', g = 'g.json'");
    write_project("parts/a.lua", "");
    write_project("parts/b.lua", "");
    write_project("parts/c.json", "");
    write_project("parts/json.lua", ""); // no file of the name "g.json"
    write_project("other/d.json", "'x':'/no/x.json'");
    write_project("other/x.json", "");
    write_project("parts/x.lua", ""); // beside the wrong one
    load("parts/main.lua");
    assert_template("a", "parts/a.lua");
    assert_template("b", "parts/b.lua");
    assert_template("c", "parts/c.json");
    assert_template("d", "other/d.json");
    assert_template("d/x", "other/x.json");
    assert_missing("e", "no/e.json");
    assert_missing("f", "no/");
    assert_missing("g", "g.json");
    static const struct {
        const char *file;
        const char *node;
        const char *name;
        const char *taken;
    } cases[] = {
        {"parts/main.lua", "a", "some/where/else/a.lua", "parts/a.lua"},
        {"parts/main.lua", "b", "/no/b.lua", "parts/b.lua"},
        {"parts/main.lua", "c", "no.c", "parts/c.json"},
        {"other/d.json", "x", "/no/x.json", "other/x.json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[1024];
        snprintf(said, sizeof said,
                 "%s/%s: warning: data.metadata.template_animation_paths.%s: \"%s\" is not found; "
                 "\"%s/%s\" is taken instead [panthera.template]\n",
                 folder, cases[i].file, cases[i].node, cases[i].name, folder, cases[i].taken);
        assert_said(said);
    }
    assert_int_equal(loaded.report.warning_count, 7);
    loaded_free();
}

static void test_panthera_template_is_looked_for_in_64_folders(void **state)
{
    char name[200] = "";
    char main_name[240];
    (void)state;
    for (int i = 0; i < 64; i++) {
        strcat(name, "d/");
    }
    snprintf(main_name, sizeof main_name, "%smain.lua", name);
    write_project(main_name, "near = '/near.lua', far = '/far_away.lua'");
    write_project("d/near.lua", "");
    write_project("far_away.lua", "");
    load(main_name);
    assert_template("near", "d/near.lua");
    assert_missing("far", "/far_away.lua");
    assert_int_equal(loaded.report.warning_count, 1);
    loaded_free();
}

// -- Outside

static void test_panthera_template_outside_is_not_read(void **state)
{
    char templates[1024];
    char path[512];
    (void)state;
    write_text("p/game.project", "");
    write_text("secret.json", "root:x:0:0"); // an error where it is read
    make_link("p/lib/file.json", "../../secret.json");
    make_link("p/lib/chain.json", "file.json");
    make_link("p/lib/folder", "../..");
    make_link("p/lib/nothing.json", "../../no.json");
    make_link("p/lib/self.json", "self.json");
    write_text("pp/x.json", "root:x:0:0"); // whose folder begins like the project's
    snprintf(path, sizeof path, "%s/secret.json", folder);
    snprintf(templates, sizeof templates,
             "'a':'/lib/file.json','b':'/lib/chain','c':'/lib/folder/secret.json','d':'../secret',"
             "'e':'/lib/../../secret.json','f':'%s','g':'../pp/x.json','h':'../p/../secret.json',"
             "'i':'/lib/nothing.json','j':'/lib/self.json','k':'../nothing.json'",
             path);
    write_project("p/gui/m.json", templates);
    load("p/gui/m.json");
    assert_outside("a", "/lib/file.json");
    assert_outside("b", "/lib/chain");
    assert_outside("c", "/lib/folder/secret.json");
    assert_outside("d", "../secret");
    assert_outside("e", "/lib/../../secret.json");
    assert_outside("f", path);
    assert_outside("g", "../pp/x.json");
    assert_outside("h", "../p/../secret.json");
    assert_missing("i", "/lib/nothing.json");
    assert_missing("j", "/lib/self.json");
    assert_missing("k", "../nothing.json");
    assert_int_equal(loaded.report.warning_count, 11);
    assert_int_equal(loaded.scene.other_file_count, 0);
    loaded_free();
}

static void test_panthera_template_outside_of_where_it_was_found_is_not_read(void **state)
{
    char templates[1024];
    char path[512];
    (void)state;
    write_text("secret.json", "root:x:0:0");
    write_text("gui/above.json", "root:x:0:0");
    make_link("gui/x/lib/file.json", "../../../secret.json");
    make_link("gui/x/beside.json", "../../secret.json");
    snprintf(path, sizeof path, "%s/secret.json", folder);
    snprintf(templates, sizeof templates,
             "'a':'/lib/file.json','b':'no/beside.json','c':'../above.json','d':'%s',"
             "'e':'etc/passwd'",
             path);
    write_project("gui/x/m.json", templates);
    write_project("lib/file.json", ""); // further away
    load("gui/x/m.json");
    assert_outside("a", "/lib/file.json");
    assert_outside("b", "no/beside.json");
    assert_outside("c", "../above.json");
    assert_outside("d", path);
    assert_missing("e", "etc/passwd"); // the root is not tried
    assert_int_equal(loaded.report.warning_count, 5);
    assert_int_equal(loaded.scene.other_file_count, 0);
    loaded_free();
}

static void test_panthera_template_may_be_a_link_inside_the_project(void **state)
{
    (void)state;
    write_text("p/game.project", "");
    write_project("p/gui/m.lua", "a = '/lib/a.lua', b = '/linked/b.lua', c = '/gui/../lib/b.lua', "
                                 "d = '../p/lib/b.lua', again = '/back/gui/m.lua'");
    make_link("p/lib/a.lua", "../parts/a.lua");
    make_link("p/linked", "lib");
    make_link("p/back", "../p");
    write_project("p/parts/a.lua", "");
    write_project("p/lib/b.lua", "");
    load("p/gui/m.lua");
    assert_template("a", "p/parts/a.lua");
    assert_template("b", "p/lib/b.lua");
    assert_template("c", "p/lib/b.lua");
    assert_template("d", "p/lib/b.lua");
    assert_template("again", NULL);
    assert_said("template_animation_paths.again: \"/back/gui/m.lua\" leads back to itself; it is "
                "skipped here [panthera.cycle]");
    assert_int_equal(loaded.report.warning_count, 1);
    // One file under three names is read once.
    static const char *const files[] = {"p/lib/a.lua", "p/linked/b.lua", NULL};
    assert_files(files);
    loaded_free();
}

static void test_panthera_project_folder_may_be_a_link(void **state)
{
    (void)state;
    write_text("p/game.project", "");
    write_project("p/gui/m.lua", "a = '/lib/a.lua', b = '/b.lua'");
    write_project("p/lib/a.lua", "");
    write_project("b.lua", "");
    make_link("link", "p");
    make_link("gui", "p/gui");
    make_link("gui_of_link", "link/gui");
    static const char *const names[] = {"p/gui/m.lua", "link/gui/m.lua", "gui/m.lua",
                                        "gui_of_link/m.lua", "p/lib/../gui/./m.lua"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        load(names[i]);
        assert_template("a", "p/lib/a.lua");
        assert_missing("b", "/b.lua");
        assert_int_equal(loaded.report.warning_count, 1);
        loaded_free();
    }
}

static void test_panthera_template_paths_are_as_short_as_that_of_the_import(void **state)
{
    static const struct {
        const char *folder;
        const char *imported;
        const char *read;
    } cases[] = {
        {"p/gui/x", "m.lua", "../../lib/a.lua"}, {"p/gui", "x/m.lua", "../lib/a.lua"},
        {"p", "gui/x/m.lua", "lib/a.lua"},       {"p", "./gui/x/m.lua", "lib/a.lua"},
        {"", "p/gui/x/m.lua", "p/lib/a.lua"},    {"p/lib", "../gui/x/m.lua", "../lib/a.lua"},
    };
    char before[1024];
    (void)state;
    write_text("p/game.project", "");
    write_project("p/gui/x/m.lua", "a = '/lib/a.lua'");
    write_project("p/lib/a.lua", "");
    assert_non_null(getcwd(before, sizeof before));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].folder);
        assert_int_equal(chdir(path), 0);
        const bool ok = load_path(cases[i].imported);
        assert_int_equal(chdir(before), 0);
        assert_true(ok);
        assert_int_equal(loaded.scene.other_file_count, 1);
        assert_string_equal(loaded.scene.other_files[0], cases[i].read);
        loaded_free();
    }
}

// -- Reading

static void tell_file(const char *path, void *list)
{
    const size_t length = strlen(list);
    snprintf((char *)list + length, 1024 - length, "%s\n", path + strlen(folder) + 1);
}

static void test_panthera_dependencies_are_the_files_that_were_read(void **state)
{
    char path[512];
    char told[1024] = "";
    void *bytes;
    size_t size_bytes;
    (void)state;
    write_text("p/game.project", "");
    write_text("secret.lua", "return {}");
    write_project("p/gui/m.lua", "a = '/a.lua', b = '/b.lua', c = '/a', d = '../secret.lua', "
                                 "e = '/no.lua'");
    write_project("p/a.lua", "f = '/gui/m.lua', g = '/g.lua'");
    write_project("p/b.lua", "");
    write_project("p/g.lua", "");
    write_project("p/gui/no.lua", "");
    snprintf(path, sizeof path, "%s/p/gui/m.lua", folder);
    const struct compile_input input = {
        .path = path, .metres_per_unit = 1, .error_mm = 0.1, .shell_m = 0.03};
    const struct compile_options options = {
        .inputs = &input, .input_count = 1, .dependency = tell_file, .dependency_user = told};
    struct report report = {0};
    assert_true(compile_pack(&options, &bytes, &size_bytes, &report));
    free(bytes);
    assert_string_equal(told, "p/gui/m.lua\np/a.lua\np/g.lua\np/b.lua\n");
}

static void test_panthera_14_missing_template_is_warned_of(void **state)
{
    (void)state;
    write_project("main.lua", "a = require('no.a'), b = '../b.lua', c = 'sub', d = require('ok'), "
                              "e = require('no.a'), f = 'ok'");
    write_project("ok.lua", "x = '/no/x.json'");
    write_text("sub/file.txt", "");
    load("main.lua");
    assert_missing("a", "no/a.lua");
    assert_missing("b", "../b.lua");
    assert_missing("c", "sub");
    assert_template("d", "ok.lua");
    assert_missing("e", "no/a.lua"); // of which it is said again
    assert_template("f", "ok.lua");
    assert_int_equal(loaded.project->template_count, 6);
    assert_int_equal(loaded.report.warning_count, 5);
    assert_said("main.lua: warning: data.metadata.template_animation_paths.a: \"no/a.lua\" is not "
                "found; its animations are skipped [panthera.template]");
    assert_said("ok.lua: warning: data.metadata.template_animation_paths.x: \"/no/x.json\" is not");
    loaded_free();
}

static void test_panthera_template_cycles_end(void **state)
{
    (void)state;
    write_project("a.lua", "self = require('a'), b = require('b')");
    write_project("b.lua", "a = '/./a.lua', c = require('c')");
    write_project("c.lua", "b = 'link.lua'");
    make_link("link.lua", "b.lua");
    load("a.lua");
    assert_int_equal(loaded.report.warning_count, 3);
    assert_said("a.lua: warning: data.metadata.template_animation_paths.self: \"a.lua\" leads back "
                "to itself; it is skipped here [panthera.cycle]");
    assert_template("self", NULL);
    assert_template("b/a", NULL);
    assert_template("b/c", "c.lua");
    assert_template("b/c/b", NULL);
    loaded_free();
}

static void test_panthera_template_chain_has_a_limit(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        char name[32];
        char next[32];
        snprintf(name, sizeof name, "p%d.lua", i);
        snprintf(next, sizeof next, "t = require('p%d')", i + 1);
        write_project(name, next);
    }
    load("p0.lua");
    assert_int_equal(loaded.scene.other_file_count, 16);
    assert_int_equal(loaded.report.warning_count, 1);
    assert_said("p16.lua: warning: data.metadata.template_animation_paths.t: \"p17.lua\" is nested "
                "more than 16 levels deep; it is skipped [panthera.nesting]");
    assert_template("t/t/t/t/t/t/t/t/t/t/t/t/t/t/t/t", "p16.lua");
    assert_template("t/t/t/t/t/t/t/t/t/t/t/t/t/t/t/t/t", NULL);
    loaded_free();
}

static void test_panthera_broken_template_is_refused_with_all_that_name_it(void **state)
{
    char expected[2048];
    (void)state;
    write_text("p/game.project", "");
    write_project("p/gui/main.json", "'m':'/middle.lua'");
    write_project("p/middle.lua", "a = require('lib.bad')");
    write_text("p/lib/bad.lua", "return {\n oops");
    assert_false(load_file("p/gui/main.json"));
    const int length =
        snprintf(expected, sizeof expected,
                 "%s/p/lib/bad.lua: error: line 2: \"oops\" is no data [panthera.lua]\n", folder);
    snprintf(expected + length, sizeof expected - (size_t)length,
             "%s/p/middle.lua: error: data.metadata.template_animation_paths.a: names "
             "\"%s/p/lib/bad.lua\", which is refused as said above [panthera.template]\n"
             "%s/p/gui/main.json: error: data.metadata.template_animation_paths.m: names "
             "\"%s/p/middle.lua\", which is refused as said above [panthera.template]\n",
             folder, folder, folder, folder);
    assert_string_equal(loaded.messages, expected);
    assert_int_equal(loaded.report.exit_code, TROUPE_EXIT_INPUT);
    assert_int_equal(loaded.report.error_count, 3);
    loaded_free();
}

// -- Finding

static void test_panthera_longest_template_has_the_node(void **state)
{
    (void)state;
    write_project("main.lua", "a = require('x'), ['a/b'] = require('y')");
    write_project("x.lua", "b = require('z'), c = require('z')");
    write_project("y.lua", "c = require('x')");
    write_project("z.lua", "");
    load("main.lua");
    const char *inner = NULL;
    assert_ptr_equal(panthera_template_split(loaded.project, "a/b/c", &inner),
                     panthera_template_find(loaded.project, "a/b"));
    assert_string_equal(inner, "c");
    assert_template("a/b", "y.lua");
    assert_template("a/b/c", "x.lua");
    assert_template("a/c", "z.lua");
    assert_null(panthera_template_split(loaded.project, "a", &inner));
    loaded_free();
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_panthera_template_paths_begin_at_the_project_folder),
        IN_FOLDER(test_panthera_template_is_nowhere_else_than_in_the_project),
        IN_FOLDER(test_panthera_template_is_in_the_innermost_project),
        IN_FOLDER(test_panthera_template_of_a_template_is_in_the_same_project),
        IN_FOLDER(test_panthera_template_without_a_project_is_the_nearest),
        IN_FOLDER(test_panthera_template_beside_is_taken_with_a_warning),
        IN_FOLDER(test_panthera_template_is_looked_for_in_64_folders),
        IN_FOLDER(test_panthera_template_outside_is_not_read),
        IN_FOLDER(test_panthera_template_outside_of_where_it_was_found_is_not_read),
        IN_FOLDER(test_panthera_template_may_be_a_link_inside_the_project),
        IN_FOLDER(test_panthera_project_folder_may_be_a_link),
        IN_FOLDER(test_panthera_template_paths_are_as_short_as_that_of_the_import),
        IN_FOLDER(test_panthera_dependencies_are_the_files_that_were_read),
        IN_FOLDER(test_panthera_14_missing_template_is_warned_of),
        IN_FOLDER(test_panthera_template_cycles_end),
        IN_FOLDER(test_panthera_template_chain_has_a_limit),
        IN_FOLDER(test_panthera_broken_template_is_refused_with_all_that_name_it),
        IN_FOLDER(test_panthera_longest_template_has_the_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
