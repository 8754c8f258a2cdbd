// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The clips. Most are sums of sines, sampled at 30 Hz with linear keys, as exporters write motion;
// `flags` spells TROUPE in semaphore with stepped keys, `nod` is four keys of a cubic spline. Feet
// that touch the ground are events, and a greeting.
#include "demo_character.h"

#include <string.h>

#include "exact_math.h"
#include "quat.h"

#define RATE_HZ 30.0
#define TURN_RAD 6.283185307179586

enum { MOTION_MAX_KEYS = 4 * 30 + 1 };

/// What a sway changes: turns in degrees, moves in metres, about and along the axes of the body.
enum sway_kind {
    TURN_X, // positive bends forward what points up, and back what hangs down
    TURN_Y, // positive turns to the left
    TURN_Z, // positive leans to the right
    MOVE_X,
    MOVE_Y,
    MOVE_Z,
};

/// centre + strength * amplitude * sin(2 pi (harmonic * phase of the clip + phase)).
/// A name without _l or _r, where there is no such joint, means both sides in mirror image.
struct sway {
    const char *joint;
    enum sway_kind kind;
    double centre;
    double amplitude;
    int harmonic; // sines a clip; 0 with phase 0.25 makes the amplitude a second centre
    double phase;
};

struct motion {
    const char *name;
    const struct sway *sways;
    uint32_t sway_count;
    uint32_t tick_count;
    bool is_whole_body;  // also writes the joints that keep still
    bool is_alternating; // the right side is half a clip behind the left
    bool is_fading;      // the strength of the sines rises from 0 and falls back
    double forward_m;    // that the root moves from start to end
    const char *events;  // a JSON array, or null
};

// clang-format off
static const struct sway idle[] = {
    {"pelvis", MOVE_X, 0.01, 0.012, 1, 0},
    {"pelvis", MOVE_Y, -0.012, 0.003, 2, 0.3},
    {"pelvis", TURN_Z, 0, 1.2, 1, 0.5},
    {"pelvis", TURN_Y, 2, 1, 1, 0.2},
    {"thigh", TURN_X, -5, 0.8, 2, 0.3},
    {"thigh_l", TURN_Z, 3, 1.1, 1, 0},
    {"thigh_r", TURN_Z, -3, 1.1, 1, 0},
    {"thigh_twist", TURN_Y, 4, 0.4, 1, 0.1},
    {"calf", TURN_X, 9, 1.5, 2, 0.3},
    {"calf_twist", TURN_Y, 1, 0.2, 1, 0.6},
    {"foot", TURN_X, -4, 0.7, 2, 0.3},
    {"foot", TURN_Z, -2, 0.6, 1, 0.5},
    {"spine_01", TURN_X, 1.5, 0.5, 1, 0.05},
    {"spine_01", TURN_Z, 0, 0.6, 1, 0},
    {"spine_02", TURN_X, -1, 1.1, 1, 0.1},
    {"spine_03", TURN_X, -1, 1.4, 1, 0.15},
    {"spine_03", TURN_Y, -1, 0.8, 1, 0.7},
    {"neck", TURN_X, 4, 0.7, 1, 0.6},
    {"head", TURN_X, -3, 0.9, 2, 0.6},
    {"head", TURN_Y, 1, 6, 1, 0.4},
    {"head", TURN_Y, 0, 1.5, 3, 0.2},
    {"jaw", TURN_X, 1, 0.4, 1, 0.1},
    {"eye_l", TURN_Y, 0, 5, 2, 0.1},
    {"eye_r", TURN_Y, 0, 5, 2, 0.1},
    {"eye_l", TURN_X, 2, 2, 3, 0.4},
    {"eye_r", TURN_X, 2, 2, 3, 0.4},
    {"clavicle", TURN_Z, -4, 0.9, 1, 0.1},
    {"upper_arm", TURN_Z, -68, 0.8, 1, 0.15},
    {"upper_arm", TURN_X, 3, 1.2, 1, 0.3},
    {"upper_arm_twist", TURN_X, 6, 0.6, 1, 0.3},
    {"lower_arm", TURN_Y, -16, 1.5, 1, 0.35},
    {"lower_arm_twist", TURN_X, 14, 0.8, 1, 0.4},
    {"hand", TURN_X, 16, 1, 1, 0.5},
    {"hand", TURN_Z, -6, 1.6, 1, 0.45},
    {"thumb_01", TURN_Z, -12, 1, 1, 0.5},
    {"thumb_02", TURN_Y, 8, 0.8, 1, 0.55},
    {"thumb_03", TURN_Y, 10, 0.8, 1, 0.6},
    {"index_01", TURN_Z, -16, 1.5, 1, 0.5},
    {"index_02", TURN_Z, -20, 1.8, 1, 0.52},
    {"index_03", TURN_Z, -12, 1.2, 1, 0.54},
    {"middle_01", TURN_Z, -20, 1.5, 1, 0.53},
    {"middle_02", TURN_Z, -24, 1.8, 1, 0.55},
    {"middle_03", TURN_Z, -14, 1.2, 1, 0.57},
    {"ring_01", TURN_Z, -24, 1.5, 1, 0.56},
    {"ring_02", TURN_Z, -28, 1.8, 1, 0.58},
    {"ring_03", TURN_Z, -16, 1.2, 1, 0.6},
    {"pinky_01", TURN_Z, -28, 1.5, 1, 0.59},
    {"pinky_02", TURN_Z, -30, 1.8, 1, 0.61},
    {"pinky_03", TURN_Z, -18, 1.2, 1, 0.63},
};

// Phase 0 is the left heel touching the ground.
static const struct sway walk[] = {
    {"pelvis", MOVE_X, 0, 0.018, 1, 0},
    {"pelvis", MOVE_Y, -0.02, 0.022, 2, 0.6},
    {"pelvis", TURN_X, 3, 0.8, 2, 0.1},
    {"pelvis", TURN_Y, 0, 5, 1, 0.75},
    {"pelvis", TURN_Z, 0, 3.5, 1, 0.95},
    {"thigh", TURN_X, -8, 22, 1, 0.75},
    {"thigh", TURN_X, 0, 3, 2, 0.1},
    {"thigh", TURN_Z, 0, 2.5, 1, 0.45},
    {"thigh", TURN_Y, 3, 3, 1, 0.3},
    {"thigh_twist", TURN_Y, 2, 1.5, 1, 0.3},
    {"calf", TURN_X, 29, 20, 1, 0.5},
    {"calf", TURN_X, 0, 14, 2, 0.85},
    {"calf_twist", TURN_Y, 1, 1, 1, 0.6},
    {"foot", TURN_X, 2, 9, 1, 0.65},
    {"foot", TURN_X, 0, 8, 2, 0.2},
    {"foot", TURN_Z, 0, 2, 1, 0},
    {"toe", TURN_X, -9, 10, 1, 0.65},
    {"toe", TURN_X, 0, 6, 2, 0.95},
    {"spine_01", TURN_Y, 0, 2.5, 1, 0.25},
    {"spine_01", TURN_Z, 0, 2, 1, 0.45},
    {"spine_02", TURN_Y, 0, 3.5, 1, 0.25},
    {"spine_02", TURN_X, 1.5, 0.8, 2, 0.3},
    {"spine_03", TURN_Y, 0, 4, 1, 0.27},
    {"spine_03", TURN_Z, 0, 1.2, 1, 0.45},
    {"neck", TURN_Y, 0, 2.5, 1, 0.77},
    {"neck", TURN_X, 3, 0.6, 2, 0.7},
    {"head", TURN_Y, 0, 2, 1, 0.79},
    {"head", TURN_X, -4, 1, 2, 0.75},
    {"clavicle", TURN_Z, -4, 1, 2, 0.2},
    {"clavicle", TURN_Y, 0, 3, 1, 0.25},
    {"upper_arm", TURN_Z, -70, 1.5, 2, 0.4},
    {"upper_arm", TURN_X, 4, 19, 1, 0.27},
    {"upper_arm_twist", TURN_X, 5, 4, 1, 0.3},
    {"lower_arm", TURN_Y, -22, 9, 1, 0.3},
    {"lower_arm_twist", TURN_X, 15, 3, 1, 0.35},
    {"hand", TURN_X, 15, 2, 1, 0.4},
    {"hand", TURN_Z, -4, 4, 1, 0.4},
    {"thumb_01", TURN_Z, -14, 0, 0, 0},
    {"thumb_02", TURN_Y, 10, 0, 0, 0},
    {"thumb_03", TURN_Y, 12, 0, 0, 0},
    {"index_01", TURN_Z, -22, 3, 1, 0.5},
    {"index_02", TURN_Z, -26, 0, 0, 0},
    {"index_03", TURN_Z, -14, 0, 0, 0},
    {"middle_01", TURN_Z, -26, 3, 1, 0.52},
    {"middle_02", TURN_Z, -30, 0, 0, 0},
    {"middle_03", TURN_Z, -16, 0, 0, 0},
    {"ring_01", TURN_Z, -30, 3, 1, 0.54},
    {"ring_02", TURN_Z, -32, 0, 0, 0},
    {"ring_03", TURN_Z, -18, 0, 0, 0},
    {"pinky_01", TURN_Z, -34, 3, 1, 0.56},
    {"pinky_02", TURN_Z, -34, 0, 0, 0},
    {"pinky_03", TURN_Z, -20, 0, 0, 0},
};

static const struct sway run[] = {
    {"pelvis", MOVE_X, 0, 0.012, 1, 0},
    {"pelvis", MOVE_Y, -0.03, 0.045, 2, 0.5},
    {"pelvis", TURN_X, 9, 2, 2, 0.1},
    {"pelvis", TURN_Y, 0, 9, 1, 0.75},
    {"pelvis", TURN_Z, 0, 4, 1, 0.95},
    {"thigh", TURN_X, -24, 40, 1, 0.72},
    {"thigh", TURN_X, 0, 7, 2, 0.15},
    {"thigh", TURN_Z, 0, 3, 1, 0.45},
    {"thigh_twist", TURN_Y, 2, 3, 1, 0.3},
    {"calf", TURN_X, 62, 38, 1, 0.55},
    {"calf", TURN_X, 0, 22, 2, 0.9},
    {"foot", TURN_X, 8, 18, 1, 0.62},
    {"foot", TURN_X, 0, 10, 2, 0.2},
    {"toe", TURN_X, -12, 14, 1, 0.65},
    {"spine_01", TURN_Y, 0, 4, 1, 0.25},
    {"spine_01", TURN_X, 4, 1.5, 2, 0.3},
    {"spine_02", TURN_Y, 0, 6, 1, 0.25},
    {"spine_02", TURN_X, 3, 1.5, 2, 0.35},
    {"spine_03", TURN_Y, 0, 7, 1, 0.27},
    {"neck", TURN_Y, 0, 4, 1, 0.77},
    {"neck", TURN_X, -6, 1.5, 2, 0.75},
    {"head", TURN_Y, 0, 4, 1, 0.79},
    {"head", TURN_X, -8, 2, 2, 0.8},
    {"jaw", TURN_X, 6, 2, 2, 0.2},
    {"clavicle", TURN_Z, 0, 3, 2, 0.2},
    {"clavicle", TURN_Y, 0, 6, 1, 0.25},
    {"upper_arm", TURN_Z, -66, 4, 2, 0.4},
    {"upper_arm", TURN_X, 14, 38, 1, 0.27},
    {"upper_arm_twist", TURN_X, 8, 8, 1, 0.3},
    {"lower_arm", TURN_Y, -82, 16, 1, 0.3},
    {"lower_arm_twist", TURN_X, 20, 6, 1, 0.35},
    {"hand", TURN_X, 12, 4, 1, 0.4},
    {"hand", TURN_Z, 4, 6, 1, 0.4},
    {"thumb_01", TURN_Z, -20, 0, 0, 0},
    {"thumb_02", TURN_Y, 25, 0, 0, 0},
    {"thumb_03", TURN_Y, 30, 0, 0, 0},
    {"index_01", TURN_Z, -55, 0, 0, 0},
    {"index_02", TURN_Z, -70, 0, 0, 0},
    {"index_03", TURN_Z, -40, 0, 0, 0},
    {"middle_01", TURN_Z, -60, 0, 0, 0},
    {"middle_02", TURN_Z, -72, 0, 0, 0},
    {"middle_03", TURN_Z, -42, 0, 0, 0},
    {"ring_01", TURN_Z, -64, 0, 0, 0},
    {"ring_02", TURN_Z, -74, 0, 0, 0},
    {"ring_03", TURN_Z, -44, 0, 0, 0},
    {"pinky_01", TURN_Z, -68, 0, 0, 0},
    {"pinky_02", TURN_Z, -76, 0, 0, 0},
    {"pinky_03", TURN_Z, -46, 0, 0, 0},
};

// The right arm comes up from the side; what does not take part is left out of the clip.
static const struct sway wave[] = {
    {"spine_02", TURN_Z, 0, -2, 0, 0.25},
    {"spine_03", TURN_Z, 0, -3, 0, 0.25},
    {"neck", TURN_Z, 0, 3, 0, 0.25},
    {"head", TURN_Z, 0, 4, 0, 0.25},
    {"head", TURN_Y, 0, -8, 0, 0.25},
    {"jaw", TURN_X, 0, 8, 3, 0.1},
    {"clavicle_r", TURN_Z, 4, -14, 0, 0.25},
    {"upper_arm_r", TURN_Z, 70, -92, 0, 0.25},
    {"upper_arm_r", TURN_X, 3, -12, 0, 0.25},
    {"upper_arm_twist_r", TURN_X, 6, 10, 0, 0.25},
    {"lower_arm_r", TURN_Y, 16, -10, 0, 0.25},
    {"lower_arm_r", TURN_Z, 0, -55, 0, 0.25},
    {"lower_arm_r", TURN_Z, 0, 24, 5, 0.25},
    {"lower_arm_twist_r", TURN_X, 14, -30, 0, 0.25},
    {"hand_r", TURN_X, 16, -20, 0, 0.25},
    {"hand_r", TURN_Z, 6, 14, 5, 0.05},
    {"thumb_01_r", TURN_Z, 12, -8, 0, 0.25},
    {"thumb_02_r", TURN_Y, -8, 6, 0, 0.25},
    {"thumb_03_r", TURN_Y, -10, 8, 0, 0.25},
    {"index_01_r", TURN_Z, 16, -18, 0, 0.25},
    {"index_02_r", TURN_Z, 20, -16, 0, 0.25},
    {"index_03_r", TURN_Z, 12, -10, 0, 0.25},
    {"middle_01_r", TURN_Z, 20, -22, 0, 0.25},
    {"middle_02_r", TURN_Z, 24, -20, 0, 0.25},
    {"middle_03_r", TURN_Z, 14, -12, 0, 0.25},
    {"ring_01_r", TURN_Z, 24, -26, 0, 0.25},
    {"ring_02_r", TURN_Z, 28, -24, 0, 0.25},
    {"ring_03_r", TURN_Z, 16, -14, 0, 0.25},
    {"pinky_01_r", TURN_Z, 28, -30, 0, 0.25},
    {"pinky_02_r", TURN_Z, 30, -26, 0, 0.25},
    {"pinky_03_r", TURN_Z, 18, -16, 0, 0.25},
};
// clang-format on

#define SWAYS(table) (table), sizeof(table) / sizeof *(table)

static const struct motion motions[] = {
    {"idle", SWAYS(idle), 120, true, false, false, 0, NULL},
    {"walk", SWAYS(walk), 33, true, true, false, 1.43,
     "[{\"name\":\"step_left\",\"time\":0,\"marker\":true},"
     "{\"name\":\"step_right\",\"time\":0.55,\"marker\":true}]"},
    {"run", SWAYS(run), 21, true, true, false, 2.31,
     "[{\"name\":\"step_left\",\"time\":0,\"marker\":true},"
     "{\"name\":\"step_right\",\"time\":0.35,\"marker\":true}]"},
    {"wave", SWAYS(wave), 60, false, false, true, 0,
     "[{\"name\":\"greet\",\"time\":0.4,\"duration\":1.2,\"value\":\"hello\"}]"},
};

/// A clip as it is written: samplers and channels as JSON text.
struct clip_text {
    struct buffer samplers;
    struct buffer channels;
    uint32_t sampler_count;
};

/// The values of one joint at one moment.
struct moment {
    double rotation[4];
    double translation[3];
};

static uint32_t add_times(struct glb *glb, const float *times, uint32_t count)
{
    const struct glb_accessor accessor = {times, count, GLB_F32, .width = 1, .has_bounds = true};
    return glb_add(glb, &accessor);
}

// Cubic splines have three values a key.
static void add_track(struct glb *glb, struct clip_text *clip, int32_t joint, const char *path,
                      const char *interpolation, uint32_t times, const float *values,
                      uint32_t value_count)
{
    const uint32_t width = strcmp(path, "rotation") == 0 ? 4 : 3;
    const struct glb_accessor accessor = {values, value_count, GLB_F32, .width = width};
    const uint32_t output = glb_add(glb, &accessor);
    const char *const comma = clip->sampler_count > 0 ? "," : "";
    glb_text(&clip->samplers, "%s{\"input\":%u,\"interpolation\":\"%s\",\"output\":%u}", comma,
             times, interpolation, output);
    glb_text(&clip->channels, "%s{\"sampler\":%u,\"target\":{\"node\":%d,\"path\":\"%s\"}}", comma,
             clip->sampler_count, joint, path);
    clip->sampler_count++;
}

/// Adds a clip.
/// @param events a JSON array, or null
static void add_clip(struct glb *glb, struct clip_text *clip, const char *name, const char *events)
{
    glb_item(glb, GLB_ANIMATIONS, "\n{\"name\":\"%s\",\"samplers\":[", name);
    struct buffer *const text = &glb->arrays[GLB_ANIMATIONS];
    buffer_append(text, clip->samplers.bytes, clip->samplers.size);
    glb_text(text, "],\"channels\":[");
    buffer_append(text, clip->channels.bytes, clip->channels.size);
    glb_text(text, "]");
    if (events) {
        glb_text(text, ",\"extras\":{\"events\":%s}", events);
    }
    glb_text(text, "}");
    buffer_free(&clip->samplers);
    buffer_free(&clip->channels);
}

// 1 or -1 where the sway is of this joint: -1 for the mirror image; else 0.
static int match(const struct sway *sway, const char *joint)
{
    const size_t length = strlen(sway->joint);
    if (strncmp(sway->joint, joint, length) != 0) {
        return 0;
    }
    const char *const side = joint + length;
    return side[0] == '\0' || strcmp(side, "_l") == 0 ? 1 : strcmp(side, "_r") == 0 ? -1 : 0;
}

static double fade(double phase)
{
    const double from_end = phase < 0.5 ? phase : 1 - phase;
    const double x = from_end < 0.2 ? from_end / 0.2 : 1;
    return x * x * (3 - 2 * x);
}

// Adds up the sways of a joint. The last tick has the phase of the first, so that loops close.
static void sum_sways(const struct motion *motion, const char *joint, uint32_t tick,
                      double values[6])
{
    memset(values, 0, 6 * sizeof *values);
    for (uint32_t i = 0; i < motion->sway_count; i++) {
        const struct sway *const sway = &motion->sways[i];
        const int side = match(sway, joint);
        if (side == 0) {
            continue;
        }
        const double phase = (double)(tick % motion->tick_count) / motion->tick_count;
        const double behind = side < 0 && motion->is_alternating ? 0.5 : 0;
        const double strength = motion->is_fading ? fade(phase) : 1;
        const double turns = sway->harmonic * (phase + behind) + sway->phase;
        const double value =
            sway->centre + strength * sway->amplitude * exact_sin(TURN_RAD * turns);
        const bool is_mirrored =
            sway->kind == TURN_Y || sway->kind == TURN_Z || sway->kind == MOVE_X;
        values[sway->kind] += side < 0 && is_mirrored ? -value : value;
    }
}

static void turn_about(int axis, double degrees, double q[4])
{
    const double half_rad = degrees * (TURN_RAD / 720);
    double turn[4] = {0, 0, 0, exact_cos(half_rad)};
    turn[axis] = exact_sin(half_rad);
    quat_multiply(turn, q, q);
}

// Turns a joint from rest about the axes of the body (z first, then y, then x), its parent resting.
static void pose_joint(const struct body_joint joints[BODY_JOINT_COUNT], int32_t index,
                       const double values[6], struct moment *moment)
{
    static const double identity[4] = {0, 0, 0, 1};
    const struct body_joint *const joint = &joints[index];
    const double *const parent =
        joint->parent >= 0 ? joints[joint->parent].model_rotation : identity;
    double model[4];
    memcpy(model, joint->model_rotation, sizeof model);
    turn_about(2, values[TURN_Z], model);
    turn_about(1, values[TURN_Y], model);
    turn_about(0, values[TURN_X], model);
    quat_relative(parent, model, moment->rotation);
    quat_normalise(moment->rotation);

    double offset[3];
    vector_turn_back(parent, &values[MOVE_X], offset);
    for (int axis = 0; axis < 3; axis++) {
        moment->translation[axis] = joint->translation[axis] + offset[axis];
    }
}

static void write_motion_joint(const struct body_joint joints[BODY_JOINT_COUNT], int32_t index,
                               const struct motion *motion, uint32_t times, uint32_t ends,
                               struct glb *glb, struct clip_text *clip)
{
    float rotations[MOTION_MAX_KEYS][4];
    float translations[MOTION_MAX_KEYS][3];
    bool is_swaying = false;
    bool is_moving = false;
    for (uint32_t i = 0; i < motion->sway_count; i++) {
        const bool is_match = match(&motion->sways[i], joints[index].name) != 0;
        is_swaying = is_swaying || is_match;
        is_moving = is_moving || (is_match && motion->sways[i].kind >= MOVE_X);
    }
    is_moving = is_moving || (index == 0 && motion->forward_m > 0);
    for (uint32_t tick = 0; tick <= motion->tick_count; tick++) {
        double values[6];
        struct moment moment;
        sum_sways(motion, joints[index].name, tick, values);
        if (index == 0) {
            values[MOVE_Z] += motion->forward_m * tick / motion->tick_count;
        }
        pose_joint(joints, index, values, &moment);
        for (int i = 0; i < 4; i++) {
            rotations[tick][i] = (float)moment.rotation[i];
        }
        for (int i = 0; i < 3; i++) {
            translations[tick][i] = (float)moment.translation[i];
        }
    }
    const uint32_t key_count = motion->tick_count + 1;
    if (is_swaying) {
        add_track(glb, clip, index, "rotation", "LINEAR", times, rotations[0], key_count);
    } else if (motion->is_whole_body) {
        add_track(glb, clip, index, "rotation", "LINEAR", ends, rotations[0], 2);
    }
    if (is_moving) {
        add_track(glb, clip, index, "translation", "LINEAR", times, translations[0], key_count);
    }
}

static void write_motion(const struct body_joint joints[BODY_JOINT_COUNT],
                         const struct motion *motion, struct glb *glb)
{
    float times[MOTION_MAX_KEYS];
    for (uint32_t tick = 0; tick <= motion->tick_count; tick++) {
        times[tick] = (float)(tick / RATE_HZ);
    }
    struct clip_text clip = {0};
    const uint32_t all_times = add_times(glb, times, motion->tick_count + 1);
    const float end_times[2] = {0, times[motion->tick_count]};
    const uint32_t ends = motion->is_whole_body ? add_times(glb, end_times, 2) : all_times;
    for (int32_t index = 0; index < BODY_JOINT_COUNT; index++) {
        write_motion_joint(joints, index, motion, all_times, ends, glb, &clip);
    }
    add_clip(glb, &clip, motion->name, motion->events);
}

static int32_t find_joint(const struct body_joint joints[BODY_JOINT_COUNT], const char *name)
{
    int32_t index = 0;
    while (strcmp(joints[index].name, name) != 0) {
        index++;
    }
    return index;
}

/// Keys of one joint turned about one axis of the body, in degrees.
static void turn_keys(const struct body_joint joints[BODY_JOINT_COUNT], int32_t index,
                      enum sway_kind kind, const double *degrees, uint32_t count,
                      float (*rotations)[4])
{
    for (uint32_t key = 0; key < count; key++) {
        double values[6] = {0};
        struct moment moment;
        values[kind] = degrees[key];
        pose_joint(joints, index, values, &moment);
        for (int i = 0; i < 4; i++) {
            rotations[key][i] = (float)moment.rotation[i];
        }
    }
}

// Semaphore: eighths of a turn from hanging down, clockwise as the reader sees the signaller.
static void write_flags(const struct body_joint joints[BODY_JOINT_COUNT], struct glb *glb)
{
    enum { LETTER_COUNT = 6, KEY_COUNT = LETTER_COUNT + 1, BLINK_COUNT = 5 };
    static const int right_hand[KEY_COUNT] = {3, 2, 2, 3, 2, 0, 0};
    static const int left_hand[KEY_COUNT] = {4, 6, 3, 5, 4, 5, 8}; // T R O U P E, then down
    static const double jaw_degrees[KEY_COUNT] = {4, 12, 16, 10, 2, 8, 0};
    static const float blink_times[BLINK_COUNT] = {0, 0.9F, 1, 2.2F, 2.3F};
    static const float blinks[BLINK_COUNT][3] = {
        {1, 1, 1}, {1, 1, 0.1F}, {1, 1, 1}, {1, 1, 0.1F}, {1, 1, 1},
    };
    float times[KEY_COUNT];
    double right_degrees[KEY_COUNT];
    double left_degrees[KEY_COUNT];
    for (int key = 0; key < KEY_COUNT; key++) {
        times[key] = (float)(key * 0.5);
        right_degrees[key] = 45.0 * (2 - right_hand[key]);
        left_degrees[key] = 45.0 * (6 - left_hand[key]);
    }
    const struct {
        const char *joint;
        enum sway_kind kind;
        const double *degrees;
    } tracks[] = {
        {"upper_arm_r", TURN_Z, right_degrees},
        {"upper_arm_l", TURN_Z, left_degrees},
        {"jaw", TURN_X, jaw_degrees},
    };
    struct clip_text clip = {0};
    const uint32_t letter_inputs = add_times(glb, times, KEY_COUNT);
    for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) {
        const int32_t index = find_joint(joints, tracks[i].joint);
        float rotations[KEY_COUNT][4];
        turn_keys(joints, index, tracks[i].kind, tracks[i].degrees, KEY_COUNT, rotations);
        add_track(glb, &clip, index, "rotation", "STEP", letter_inputs, rotations[0], KEY_COUNT);
    }
    const uint32_t blink_inputs = add_times(glb, blink_times, BLINK_COUNT);
    add_track(glb, &clip, find_joint(joints, "eye_l"), "scale", "STEP", blink_inputs, blinks[0],
              BLINK_COUNT);
    add_track(glb, &clip, find_joint(joints, "eye_r"), "scale", "STEP", blink_inputs, blinks[0],
              BLINK_COUNT);
    add_clip(glb, &clip, "flags", NULL);
}

// Three values a key: tangent in, value, tangent out. Flat at both ends.
static void write_nod(const struct body_joint joints[BODY_JOINT_COUNT], struct glb *glb)
{
    enum { KEY_COUNT = 4 };
    static const float times[KEY_COUNT] = {0, 0.3F, 0.6F, 1};
    static const char *const names[] = {"neck", "head"};
    static const double degrees[KEY_COUNT] = {0, 16, -4, 0};
    struct clip_text clip = {0};
    const uint32_t inputs = add_times(glb, times, KEY_COUNT);
    for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
        const int32_t index = find_joint(joints, names[name]);
        float rotations[KEY_COUNT][4];
        float keys[KEY_COUNT][3][4] = {0};
        turn_keys(joints, index, TURN_X, degrees, KEY_COUNT, rotations);
        for (int key = 0; key < KEY_COUNT; key++) {
            memcpy(keys[key][1], rotations[key], sizeof rotations[key]);
            for (int i = 0; key > 0 && key < KEY_COUNT - 1 && i < 4; i++) {
                const double slope = ((double)rotations[key + 1][i] - rotations[key - 1][i]) /
                                     ((double)times[key + 1] - times[key - 1]);
                keys[key][0][i] = (float)slope;
                keys[key][2][i] = (float)slope;
            }
        }
        add_track(glb, &clip, index, "rotation", "CUBICSPLINE", inputs, keys[0][0], 3 * KEY_COUNT);
    }
    add_clip(glb, &clip, "nod", NULL);
}

void clips_write(const struct body_joint joints[BODY_JOINT_COUNT], struct glb *glb)
{
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        write_motion(joints, &motions[i], glb);
    }
    write_flags(joints, glb);
    write_nod(joints, glb);
}
