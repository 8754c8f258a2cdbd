// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Runs the `troupe` program in a folder of the test's own and looks at what it leaves: exit codes,
// one-line reasons, JSON. To be included last.
#ifndef TROUPE_TESTS_CLI_PROGRAM_H
#define TROUPE_TESTS_CLI_PROGRAM_H

#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temp_folder.h"

static const char *program;
static const char *folder;

/// Finds the program and makes the folder that it runs in.
static inline int cli_program_setup(void)
{
    program = getenv("TROUPE_PROGRAM");
    if (program == NULL) {
        fprintf(stderr, "TROUPE_PROGRAM is not set\n");
        return 1;
    }
    folder = temp_folder_make();
    return folder == NULL;
}

/// What a run of the program left.
struct outcome {
    int exit_code;
    char *out;
    char *err;
};

static inline char *read_text(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *const text = calloc((size_t)size + 1, 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
    }
    fclose(file);
    return text;
}

static inline void redirect(const char *path, int descriptor)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, descriptor);
    close(file);
}

/// Runs the program in the test's folder.
/// @param out_path where its stdout goes; null = a file that is read afterwards
static inline struct outcome run_to(const char *out_path, char **arguments)
{
    char out[512];
    char err[512];
    snprintf(out, sizeof out, "%s/stdout", folder);
    snprintf(err, sizeof err, "%s/stderr", folder);
    const pid_t child = fork();
    if (child == 0) {
        redirect(out_path != NULL ? out_path : out, STDOUT_FILENO);
        redirect(err, STDERR_FILENO);
        if (chdir(folder) == 0) {
            execv(program, arguments);
        }
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return (struct outcome){
        .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        .out = out_path != NULL ? calloc(1, 1) : read_text(out),
        .err = read_text(err),
    };
}

enum { MOST_ARGUMENTS = 32 };

static inline struct outcome run(const char *first, ...)
{
    char *arguments[MOST_ARGUMENTS + 2] = {(char *)program};
    va_list list;
    va_start(list, first);
    int count = 1;
    for (const char *at = first; at != NULL && count <= MOST_ARGUMENTS; at = va_arg(list, char *)) {
        arguments[count++] = (char *)at;
    }
    va_end(list);
    return run_to(NULL, arguments);
}

static inline void discard(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->err);
}

/// Writes a file into the folder.
static inline void write_text(const char *name, const char *text, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb");
    fwrite(text, 1, size, file);
    fclose(file);
}

static inline int count_lines(const char *text)
{
    int count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

/// A refusal is one line on stderr with the code in it, and nothing on stdout.
static inline void expect_refusal(struct outcome outcome, int exit_code, const char *text)
{
    if (outcome.exit_code != exit_code || count_lines(outcome.err) != 1 ||
        strstr(outcome.err, ": error: ") == NULL || strstr(outcome.err, text) == NULL ||
        outcome.out[0] != '\0') {
        fail_msg("exit code %d (%d expected), stdout '%s', stderr '%s' ('%s' expected)",
                 outcome.exit_code, exit_code, outcome.out, outcome.err, text);
    }
    discard(&outcome);
}

static inline void expect_success(struct outcome *outcome)
{
    if (outcome->exit_code != 0) {
        fail_msg("exit code %d: %s", outcome->exit_code, outcome->err);
    }
}

/// Reads what a successful run printed with --json.
static inline json_t *expect_json(struct outcome outcome, const char *verb)
{
    expect_success(&outcome);
    json_error_t error;
    json_t *const object = json_loads(outcome.out, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        fail_msg("%s in '%s'", error.text, outcome.out);
    }
    assert_int_equal(json_integer_value(json_object_get(object, "schema")), 1);
    assert_string_equal(json_string_value(json_object_get(object, "verb")), verb);
    discard(&outcome);
    return object;
}

static inline double number_of(const json_t *object, const char *key)
{
    const json_t *const value = json_object_get(object, key);
    if (!json_is_number(value)) {
        fail_msg("no number '%s'", key);
    }
    return json_number_value(value);
}

static inline const char *string_of(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));
    if (text == NULL) {
        fail_msg("no string '%s'", key);
    }
    return text;
}

/// Returns the clip of this name in an array of objects.
static inline json_t *named(json_t *array, const char *name)
{
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach(array, index, item)
    {
        if (strcmp(string_of(item, "name"), name) == 0) {
            return item;
        }
    }
    fail_msg("no '%s'", name);
    return NULL;
}

/// Returns the numbers of an array in an object.
static inline void numbers_of(const json_t *object, const char *key, double *numbers, size_t count)
{
    const json_t *const array = json_object_get(object, key);
    assert_int_equal(json_array_size(array), count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = json_number_value(json_array_get(array, i));
    }
}

#endif
