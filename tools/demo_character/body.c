// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The body: a person of 1.75 m in T-pose, as a table of the middle and the left side; the right
// side is its mirror image. Each bone carries a box.
#include "demo_character.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "quat.h"

struct bone {
    const char *name;
    const char *parent;
    double head[3];
    double tail[3];
    double width;
    double depth;
};

static const struct bone middle[] = {
    {"root", NULL, {0, 0, 0}, {0, 0.1, 0}, 0, 0},
    {"pelvis", "root", {0, 0.95, 0}, {0, 1.05, 0}, 0.30, 0.18},
    {"spine_01", "pelvis", {0, 1.05, 0}, {0, 1.18, 0.005}, 0.26, 0.17},
    {"spine_02", "spine_01", {0, 1.18, 0.005}, {0, 1.32, 0}, 0.30, 0.18},
    {"spine_03", "spine_02", {0, 1.32, 0}, {0, 1.46, -0.015}, 0.34, 0.20},
    {"neck", "spine_03", {0, 1.46, -0.015}, {0, 1.55, 0}, 0.10, 0.10},
    {"head", "neck", {0, 1.55, 0}, {0, 1.75, 0.01}, 0.15, 0.19},
    {"jaw", "head", {0, 1.58, 0.02}, {0, 1.55, 0.1}, 0.09, 0.03},
};

static const struct bone left[] = {
    {"eye", "head", {0.032, 1.65, 0.09}, {0.032, 1.65, 0.11}, 0.025, 0.025},
    {"clavicle", "spine_03", {0.02, 1.43, 0}, {0.17, 1.43, -0.02}, 0.08, 0.06},
    {"upper_arm", "clavicle", {0.17, 1.43, -0.02}, {0.31, 1.43, -0.025}, 0.09, 0.09},
    {"upper_arm_twist", "upper_arm", {0.31, 1.43, -0.025}, {0.45, 1.43, -0.03}, 0.085, 0.085},
    {"lower_arm", "upper_arm", {0.45, 1.43, -0.03}, {0.575, 1.43, -0.02}, 0.075, 0.07},
    {"lower_arm_twist", "lower_arm", {0.575, 1.43, -0.02}, {0.70, 1.43, -0.01}, 0.065, 0.055},
    {"hand", "lower_arm", {0.70, 1.43, -0.01}, {0.79, 1.43, -0.005}, 0.035, 0.09},
    {"thumb_01", "hand", {0.72, 1.42, 0.025}, {0.75, 1.41, 0.06}, 0.022, 0.022},
    {"thumb_02", "thumb_01", {0.75, 1.41, 0.06}, {0.775, 1.405, 0.085}, 0.02, 0.02},
    {"thumb_03", "thumb_02", {0.775, 1.405, 0.085}, {0.80, 1.40, 0.105}, 0.018, 0.018},
    {"index_01", "hand", {0.79, 1.43, 0.03}, {0.835, 1.43, 0.034}, 0.02, 0.02},
    {"index_02", "index_01", {0.835, 1.43, 0.034}, {0.86, 1.43, 0.036}, 0.018, 0.018},
    {"index_03", "index_02", {0.86, 1.43, 0.036}, {0.88, 1.43, 0.037}, 0.016, 0.016},
    {"middle_01", "hand", {0.795, 1.43, 0.008}, {0.845, 1.43, 0.009}, 0.02, 0.02},
    {"middle_02", "middle_01", {0.845, 1.43, 0.009}, {0.873, 1.43, 0.01}, 0.018, 0.018},
    {"middle_03", "middle_02", {0.873, 1.43, 0.01}, {0.895, 1.43, 0.01}, 0.016, 0.016},
    {"ring_01", "hand", {0.79, 1.43, -0.014}, {0.835, 1.43, -0.017}, 0.019, 0.019},
    {"ring_02", "ring_01", {0.835, 1.43, -0.017}, {0.862, 1.43, -0.019}, 0.017, 0.017},
    {"ring_03", "ring_02", {0.862, 1.43, -0.019}, {0.883, 1.43, -0.02}, 0.015, 0.015},
    {"pinky_01", "hand", {0.782, 1.43, -0.036}, {0.815, 1.43, -0.041}, 0.017, 0.017},
    {"pinky_02", "pinky_01", {0.815, 1.43, -0.041}, {0.836, 1.43, -0.044}, 0.015, 0.015},
    {"pinky_03", "pinky_02", {0.836, 1.43, -0.044}, {0.853, 1.43, -0.046}, 0.014, 0.014},
    {"thigh", "pelvis", {0.09, 0.93, 0}, {0.092, 0.715, 0.003}, 0.15, 0.16},
    {"thigh_twist", "thigh", {0.092, 0.715, 0.003}, {0.094, 0.50, 0.006}, 0.13, 0.14},
    {"calf", "thigh", {0.094, 0.50, 0.006}, {0.095, 0.295, -0.01}, 0.11, 0.12},
    {"calf_twist", "calf", {0.095, 0.295, -0.01}, {0.096, 0.09, -0.026}, 0.085, 0.09},
    {"foot", "calf", {0.096, 0.09, -0.026}, {0.105, 0.03, 0.11}, 0.085, 0.06},
    {"toe", "foot", {0.105, 0.03, 0.11}, {0.11, 0.025, 0.18}, 0.085, 0.04},
};

enum { MIDDLE_COUNT = sizeof middle / sizeof middle[0] };
enum { LEFT_COUNT = sizeof left / sizeof left[0] };
_Static_assert(MIDDLE_COUNT + 2 * LEFT_COUNT == BODY_JOINT_COUNT, "joints");

void vector_turn(const double q[4], const double v[3], double out[3])
{
    const double pure[4] = {v[0], v[1], v[2], 0};
    const double inverse[4] = {-q[0], -q[1], -q[2], q[3]};
    double turned[4];
    quat_multiply(q, pure, turned);
    quat_multiply(turned, inverse, turned);
    memcpy(out, turned, 3 * sizeof *out);
}

void vector_turn_back(const double q[4], const double v[3], double out[3])
{
    const double inverse[4] = {-q[0], -q[1], -q[2], q[3]};
    vector_turn(inverse, v, out);
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void normalise(double v[3])
{
    const double length = length_of(v);
    for (int axis = 0; axis < 3; axis++) {
        v[axis] /= length;
    }
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = a[axis] - b[axis];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// The rotation that takes the coordinate axes to three given ones. Of the four ways to write it,
// the one whose divisor is at least 1.
static void quat_from_axes(const double x[3], const double y[3], const double z[3], double out[4])
{
    const double candidates[4][4] = {
        {1 + x[0] - y[1] - z[2], x[1] + y[0], x[2] + z[0], y[2] - z[1]},
        {x[1] + y[0], 1 - x[0] + y[1] - z[2], y[2] + z[1], z[0] - x[2]},
        {x[2] + z[0], y[2] + z[1], 1 - x[0] - y[1] + z[2], x[1] - y[0]},
        {y[2] - z[1], z[0] - x[2], x[1] - y[0], 1 + x[0] + y[1] + z[2]},
    };
    int best = 3;
    for (int i = 0; i < 3; i++) {
        if (candidates[i][i] > candidates[best][best]) {
            best = i;
        }
    }
    memcpy(out, candidates[best], 4 * sizeof *out);
    quat_normalise(out);
}

// +Y along the bone, +Z as far forward as that allows, or up for a bone that points forward.
static void orient(struct body_joint *joint)
{
    double x[3];
    double y[3];
    double z[3];
    subtract(joint->tail, joint->head, y);
    normalise(y);
    const bool is_forward = y[2] > 0.8;
    const double reference[3] = {0, is_forward ? 1 : 0, is_forward ? 0 : 1};
    cross(y, reference, x);
    normalise(x);
    cross(x, y, z);
    quat_from_axes(x, y, z, joint->model_rotation);
}

// Rest transform against the parent.
static void place(struct body_joint *joint, const struct body_joint *parent)
{
    double offset[3];
    subtract(joint->head, parent->head, offset);
    vector_turn_back(parent->model_rotation, offset, joint->translation);
    quat_relative(parent->model_rotation, joint->model_rotation, joint->rotation);
}

// The joint of that name, in the middle or on the side that the suffix says.
static int32_t find(const struct body_joint *joints, int32_t count, const char *name,
                    const char *suffix)
{
    const size_t length = strlen(name);
    for (int32_t joint = 0; joint < count; joint++) {
        const char *const rest = joints[joint].name + length;
        if (strncmp(joints[joint].name, name, length) == 0 &&
            (rest[0] == '\0' || strcmp(rest, suffix) == 0)) {
            return joint;
        }
    }
    return -1;
}

static void add(struct body_joint *joints, int32_t index, const struct bone *bone,
                const char *suffix, double mirror)
{
    struct body_joint *const joint = &joints[index];
    *joint = (struct body_joint){.width = bone->width, .depth = bone->depth, .parent = -1};
    snprintf(joint->name, sizeof joint->name, "%s%s", bone->name, suffix);
    for (int axis = 0; axis < 3; axis++) {
        const double sign = axis == 0 ? mirror : 1;
        joint->head[axis] = sign * bone->head[axis];
        joint->tail[axis] = sign * bone->tail[axis];
    }
    orient(joint);
    memcpy(joint->rotation, joint->model_rotation, sizeof joint->rotation);
    memcpy(joint->translation, joint->head, sizeof joint->translation);
    if (bone->parent) {
        joint->parent = find(joints, index, bone->parent, suffix);
        place(joint, &joints[joint->parent]);
    }
}

void body_make(struct body_joint joints[BODY_JOINT_COUNT])
{
    int32_t count = 0;
    for (int i = 0; i < MIDDLE_COUNT; i++) {
        add(joints, count++, &middle[i], "", 1);
    }
    for (int i = 0; i < LEFT_COUNT; i++) {
        add(joints, count++, &left[i], "_l", 1);
    }
    for (int i = 0; i < LEFT_COUNT; i++) {
        add(joints, count++, &left[i], "_r", -1);
    }
}

enum { BOX_VERTEX_COUNT = 24, BOX_INDEX_COUNT = 36 };

/// Vertices of all boxes, each moved by one joint alone.
struct mesh {
    uint32_t vertex_count;
    uint32_t index_count;
    float positions[BODY_JOINT_COUNT * BOX_VERTEX_COUNT][3];
    float normals[BODY_JOINT_COUNT * BOX_VERTEX_COUNT][3];
    uint8_t joints[BODY_JOINT_COUNT * BOX_VERTEX_COUNT][4];
    uint8_t weights[BODY_JOINT_COUNT * BOX_VERTEX_COUNT][4];
    uint16_t indices[BODY_JOINT_COUNT * BOX_INDEX_COUNT];
};

// Adds one face of a box: the side of `axis` that `sign` points to.
static void add_face(struct mesh *mesh, const struct body_joint *joint, uint8_t index, int axis,
                     double sign)
{
    double bone[3];
    subtract(joint->tail, joint->head, bone);
    const double low[3] = {-joint->width / 2, 0, -joint->depth / 2};
    const double high[3] = {joint->width / 2, length_of(bone), joint->depth / 2};
    const int across = (axis + 1) % 3;
    const int up = (axis + 2) % 3;
    const uint16_t first = (uint16_t)mesh->vertex_count;
    for (int corner = 0; corner < 4; corner++) {
        double normal[3] = {0, 0, 0};
        double point[3];
        normal[axis] = sign;
        point[axis] = sign > 0 ? high[axis] : low[axis];
        point[across] = (corner == 1 || corner == 2) == (sign > 0) ? high[across] : low[across];
        point[up] = corner >= 2 ? high[up] : low[up];
        vector_turn(joint->model_rotation, point, point);
        vector_turn(joint->model_rotation, normal, normal);
        const uint32_t vertex = mesh->vertex_count++;
        for (int i = 0; i < 3; i++) {
            mesh->positions[vertex][i] = (float)(joint->head[i] + point[i]);
            mesh->normals[vertex][i] = (float)normal[i];
        }
        mesh->joints[vertex][0] = index;
        mesh->weights[vertex][0] = UINT8_MAX;
    }
    static const uint16_t corners[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 6; i++) {
        mesh->indices[mesh->index_count++] = (uint16_t)(first + corners[i]);
    }
}

static void make_mesh(const struct body_joint joints[BODY_JOINT_COUNT], struct mesh *mesh)
{
    *mesh = (struct mesh){0};
    for (int index = 0; index < BODY_JOINT_COUNT; index++) {
        for (int axis = 0; joints[index].width > 0 && axis < 3; axis++) {
            add_face(mesh, &joints[index], (uint8_t)index, axis, 1);
            add_face(mesh, &joints[index], (uint8_t)index, axis, -1);
        }
    }
}

static void write_mesh(const struct body_joint joints[BODY_JOINT_COUNT], struct glb *glb)
{
    static struct mesh mesh;
    make_mesh(joints, &mesh);
    // clang-format off
    const struct glb_accessor accessors[] = {
        {mesh.positions, mesh.vertex_count, GLB_F32, 3, .has_bounds = true, .target = GLB_VERTICES},
        {mesh.normals, mesh.vertex_count, GLB_F32, 3, .target = GLB_VERTICES},
        {mesh.joints, mesh.vertex_count, GLB_U8, 4, .target = GLB_VERTICES},
        {mesh.weights, mesh.vertex_count, GLB_U8, 4, .is_normalized = true, .target = GLB_VERTICES},
        {mesh.indices, mesh.index_count, GLB_U16, 1, .target = GLB_INDICES},
    };
    // clang-format on
    uint32_t indices[sizeof accessors / sizeof *accessors];
    for (size_t i = 0; i < sizeof accessors / sizeof *accessors; i++) {
        indices[i] = glb_add(glb, &accessors[i]);
    }
    glb_item(glb, GLB_MATERIALS,
             "{\"name\":\"wood\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.6,0.45,0.3,1],"
             "\"metallicFactor\":0,\"roughnessFactor\":0.8}}");
    glb_item(glb, GLB_MESHES,
             "{\"name\":\"boxes\",\"primitives\":[{\"attributes\":{\"POSITION\":%u,\"NORMAL\":%u,"
             "\"JOINTS_0\":%u,\"WEIGHTS_0\":%u},\"indices\":%u,\"material\":0}]}",
             indices[0], indices[1], indices[2], indices[3], indices[4]);
}

// Column-major 4x4 matrices from mesh space into each joint's rest space.
static uint32_t write_inverse_binds(const struct body_joint joints[BODY_JOINT_COUNT],
                                    struct glb *glb)
{
    float matrices[BODY_JOINT_COUNT][16] = {0};
    for (int index = 0; index < BODY_JOINT_COUNT; index++) {
        const struct body_joint *const joint = &joints[index];
        for (int column = 0; column < 3; column++) {
            double axis[3] = {column == 0, column == 1, column == 2};
            vector_turn_back(joint->model_rotation, axis, axis);
            for (int row = 0; row < 3; row++) {
                matrices[index][4 * column + row] = (float)axis[row];
            }
        }
        double offset[3];
        vector_turn_back(joint->model_rotation, joint->head, offset);
        for (int row = 0; row < 3; row++) {
            matrices[index][12 + row] = (float)-offset[row];
        }
        matrices[index][15] = 1;
    }
    const struct glb_accessor accessor = {matrices, BODY_JOINT_COUNT, GLB_F32, .width = 16};
    return glb_add(glb, &accessor);
}

static void write_node(const struct body_joint *joints, int32_t index, struct glb *glb)
{
    const struct body_joint *const joint = &joints[index];
    struct buffer *const text = &glb->arrays[GLB_NODES];
    glb_item(glb, GLB_NODES, "\n{\"name\":\"%s\"", joint->name);
    glb_text(text, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (double)(float)joint->rotation[0],
             (double)(float)joint->rotation[1], (double)(float)joint->rotation[2],
             (double)(float)joint->rotation[3]);
    glb_text(text, ",\"translation\":[%.9g,%.9g,%.9g]", (double)(float)joint->translation[0],
             (double)(float)joint->translation[1], (double)(float)joint->translation[2]);
    bool has_children = false;
    for (int32_t child = index + 1; child < BODY_JOINT_COUNT; child++) {
        if (joints[child].parent == index) {
            glb_text(text, "%s%d", has_children ? "," : ",\"children\":[", child);
            has_children = true;
        }
    }
    glb_text(text, has_children ? "]}" : "}");
}

void body_write(const struct body_joint joints[BODY_JOINT_COUNT], struct glb *glb)
{
    write_mesh(joints, glb);
    const uint32_t inverse_binds = write_inverse_binds(joints, glb);
    for (int32_t index = 0; index < BODY_JOINT_COUNT; index++) {
        write_node(joints, index, glb);
    }
    const int armature = BODY_JOINT_COUNT;
    glb_item(glb, GLB_NODES, "\n{\"name\":\"demo_character\",\"children\":[0]}");
    glb_item(glb, GLB_NODES, "\n{\"name\":\"boxes\",\"mesh\":0,\"skin\":0}");
    glb_item(glb, GLB_SCENES, "{\"nodes\":[%d,%d]}", armature, armature + 1);
    glb_item(glb, GLB_SKINS, "{\"name\":\"demo_character\",\"skeleton\":%d", armature);
    glb_text(&glb->arrays[GLB_SKINS], ",\"inverseBindMatrices\":%u", inverse_binds);
    for (int32_t index = 0; index < BODY_JOINT_COUNT; index++) {
        glb_text(&glb->arrays[GLB_SKINS], "%s%d", index == 0 ? ",\"joints\":[" : ",", index);
    }
    glb_text(&glb->arrays[GLB_SKINS], "]}");
}
