// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Compares Troupe with three.js: the same glTF file, the same moments, model matrices of every
// joint and weights of every morph target. Fails where a point near a joint, or a weight, is
// further away than the limit. The moments are random ones, those of all steps and the ones just
// before; the packs are two: as compiled by default, and exact.
//
// Usage: node check.mjs MODULES TROUPE FILE UNIT TIMES [SEED]
//   MODULES  folder that holds node_modules/three
//   TROUPE   the program
//   UNIT     metres per unit of FILE
//   TIMES    random moments for each clip
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const limitMillimetres = 0.12;
const limitWeight = 1e-5;
const shellMetres = 0.03;

process.on('uncaughtException', (error) => {
    console.error(`${process.argv[4]}: ${error.message}`);
    process.exit(1);
});

const [modules, troupe, file, unitText, timesText, seedText] = process.argv.slice(2);
const metresPerUnit = Number(unitText);
const timeCount = Number(timesText);

// three.js expects a browser's global object and its progress events.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class ProgressEvent extends Event {};

const threeFolder = join(resolve(modules), 'node_modules', 'three');
const three = await import(pathToFileURL(join(threeFolder, 'build', 'three.module.js')));
const { GLTFLoader } = await import(
    pathToFileURL(join(threeFolder, 'examples', 'jsm', 'loaders', 'GLTFLoader.js')));

/** Returns numbers in [0, 1): the same ones for the same seed. Source: Mulberry32. */
function randomFrom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6D2B79F5) >>> 0;
        let z = Math.imul(state ^ (state >>> 15), state | 1);
        z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
        return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** Splits a .glb into its JSON and its binary chunk; a .gltf has JSON alone. */
function readContainer(bytes) {
    if (bytes.toString('latin1', 0, 4) !== 'glTF') {
        return { json: JSON.parse(bytes.toString('utf8')), binary: null };
    }
    let json = null;
    let binary = null;
    for (let at = 12; at + 8 <= bytes.length;) {
        const size = bytes.readUInt32LE(at);
        const kind = bytes.readUInt32LE(at + 4);
        const chunk = bytes.subarray(at + 8, at + 8 + size);
        if (kind === 0x4E4F534A) {
            json = JSON.parse(chunk.toString('utf8'));
        } else if (kind === 0x004E4942) {
            binary = chunk;
        }
        at += 8 + size;
    }
    return { json, binary };
}

/** Takes out what needs a screen, and puts every buffer into the text. */
function makeHeadless({ json, binary }, folder) {
    delete json.images;
    delete json.textures;
    delete json.materials;
    for (const mesh of json.meshes ?? []) {
        for (const primitive of mesh.primitives) {
            delete primitive.material;
        }
    }
    for (const buffer of json.buffers ?? []) {
        if (buffer.uri?.startsWith('data:')) {
            continue;
        }
        const bytes = buffer.uri === undefined
            ? binary : readFileSync(join(folder, decodeURIComponent(buffer.uri)));
        buffer.uri = `data:application/octet-stream;base64,${bytes.toString('base64')}`;
    }
    return JSON.stringify(json);
}

function troupeJson(...args) {
    const output = execFileSync(troupe, [...args, '--json'], {
        maxBuffer: 1 << 30,
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(output.toString('utf8'));
}

/** Returns the largest column of a joint's rest matrix: what scales its surroundings. */
function restScale(object) {
    const e = object.matrixWorld.elements; // column after column
    const columns = [0, 4, 8].map((at) => Math.hypot(e[at], e[at + 1], e[at + 2]));
    return Math.max(...columns) || 1;
}

/** Returns how far the furthest of six points around a joint lies from where it should be. */
function displacement(object, model, shell) {
    const e = object.matrixWorld.elements;
    let largest = 0;
    for (let axis = 0; axis < 3; axis++) {
        for (const sign of [-1, 1]) {
            const difference = [0, 1, 2].map((row) =>
                (model[row * 4 + 3] - e[12 + row]) +
                sign * shell * (model[row * 4 + axis] - e[axis * 4 + row]));
            largest = Math.max(largest, Math.hypot(...difference));
        }
    }
    return largest;
}

/** Pairs the clips of the pack with those of the file. */
function pairClips(packClips, animations, names) {
    return packClips.map((clip, index) => {
        const place = packClips.length === animations.length
            ? index : names.indexOf(clip.source_clip);
        if (place < 0) {
            throw new Error(`clip '${clip.name}' is not in the file`);
        }
        return { clip, animation: animations[place] };
    });
}

/** Returns the times at which anything in a clip jumps, in order. */
function stepTimes(animation) {
    const times = animation.tracks
        .filter((track) => track.getInterpolation() === three.InterpolateDiscrete)
        .flatMap((track) => Array.from(track.times).slice(1));
    return [...new Set(times)].sort((a, b) => a - b);
}

/**
 * Returns the moments to compare: random ones, and both sides of all steps.
 * @param early seconds before a step in which Troupe may have switched already
 */
function momentsOf(clip, animation, random, early) {
    const steps = stepTimes(animation);
    const moments = Array.from({ length: timeCount }, () => random() * clip.duration_s)
        .concat(steps, steps.map((step) => step - Math.max(early, 1e-9)));
    return moments.filter((moment) =>
        moment >= 0 && !steps.some((step) => step > moment && step - moment < early));
}

const container = readContainer(readFileSync(file));
const names = (container.json.animations ?? []).map((animation) => animation.name ?? '');
const text = makeHeadless(container, dirname(resolve(file)));
const gltf = await new GLTFLoader().parseAsync(text, '');
const objectOfNode = new Map();
for (const [object, place] of gltf.parser.associations) {
    if (place?.nodes !== undefined && object.isObject3D && !objectOfNode.has(place.nodes)) {
        objectOfNode.set(place.nodes, object);
    }
}
gltf.scene.updateMatrixWorld(true);
const shellOfNode = new Map();
for (const [node, object] of objectOfNode) {
    shellOfNode.set(node, shellMetres / (metresPerUnit * restScale(object)));
}

const worst = {
    matrices: { count: 0, distance: 0, where: 'nowhere' },
    weights: { count: 0, distance: 0, where: 'nowhere' },
};

function note(kind, distance, where) {
    worst[kind].count++;
    if (!(distance <= worst[kind].distance)) {
        worst[kind].distance = distance;
        worst[kind].where = where;
    }
}

function compareJoint(joint, where) {
    const object = objectOfNode.get(joint.node);
    if (object === undefined) {
        throw new Error(`joint '${joint.name}' is no node of the file`);
    }
    note('matrices', 1000 * metresPerUnit *
        displacement(object, joint.model, shellOfNode.get(joint.node)), where);
}

function compareWeights(property, where) {
    const node = /^\/nodes\/(\d+)\/weights$/.exec(property.path)?.[1];
    if (node === undefined) {
        return;
    }
    const object = objectOfNode.get(Number(node));
    const mesh = [object, ...object.children].find((child) => child.morphTargetInfluences);
    property.values.forEach((weight, target) => {
        note('weights', Math.abs(weight - mesh.morphTargetInfluences[target]), where);
    });
}

/** Compares all clips of one pack. */
function comparePack(pack, isExact, mixer) {
    const random = randomFrom(Number(seedText ?? 1));
    const info = troupeJson('info', pack);
    for (const { clip, animation } of pairClips(info.clips, gltf.animations, names)) {
        const early = isExact ? 0 : 1 / (1024 * clip.rate_hz) + 1e-6;
        const moments = momentsOf(clip, animation, random, early);
        const sampled = troupeJson('sample', pack, '--clip', clip.name, '--space', 'model',
            ...moments.flatMap((moment) => ['--time', String(moment)]));
        const action = mixer.clipAction(animation);
        action.setLoop(three.LoopOnce);
        action.clampWhenFinished = true;
        sampled.samples.forEach((sample, index) => {
            action.reset().play();
            mixer.setTime(moments[index]);
            gltf.scene.updateMatrixWorld(true);
            const moment = `${clip.name}, ${moments[index]} s${isExact ? ', exact' : ''}`;
            sample.joints.forEach((joint) => compareJoint(joint, `${joint.name}, ${moment}`));
            sample.properties.forEach(
                (property) => compareWeights(property, `${property.path}, ${moment}`));
        });
        mixer.stopAllAction(); // puts everything back to rest for the next clip
    }
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-three-'));
try {
    const mixer = new three.AnimationMixer(gltf.scene);
    for (const choice of ['off', 'on']) {
        const pack = join(folder, `${choice}.trp`);
        execFileSync(troupe, ['compile', '--quiet', '--unit', unitText, `--exact=${choice}`, file,
            '-o', pack], { stdio: ['ignore', 'ignore', 'inherit'] });
        comparePack(pack, choice === 'on', mixer);
    }
} finally {
    rmSync(folder, { recursive: true, force: true });
}
const { matrices, weights } = worst;
const isGood = matrices.count + weights.count > 0 && matrices.distance <= limitMillimetres &&
    weights.distance <= limitWeight;
console.log(`${basename(file)}: ${matrices.count} matrices, largest distance ` +
    `${matrices.distance.toFixed(5)} mm (${matrices.where}); ${weights.count} weights, ` +
    `${weights.distance.toExponential(1)} (${weights.where}): ${isGood ? 'ok' : 'TOO FAR'}`);
process.exit(isGood ? 0 : 1);
