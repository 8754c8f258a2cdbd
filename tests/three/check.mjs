// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Compares Troupe with three.js: the same glTF file, the same moments, model matrices of every
// joint. Fails where a point near a joint is further away than the limit.
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

const folder = mkdtempSync(join(tmpdir(), 'troupe-three-'));
let worst = { millimetres: 0, where: 'nowhere' };
let compared = 0;
try {
    const pack = join(folder, 'check.trp');
    execFileSync(troupe, ['compile', '--quiet', '--unit', unitText, file, '-o', pack],
        { stdio: ['ignore', 'ignore', 'inherit'] });
    const info = troupeJson('info', pack);
    const random = randomFrom(Number(seedText ?? 1));
    const mixer = new three.AnimationMixer(gltf.scene);
    for (const { clip, animation } of pairClips(info.clips, gltf.animations, names)) {
        const times = Array.from({ length: timeCount }, () => random() * clip.duration_s);
        const sampled = troupeJson('sample', pack, '--clip', clip.name, '--space', 'model',
            ...times.flatMap((time) => ['--time', String(time)]));
        const action = mixer.clipAction(animation);
        action.setLoop(three.LoopOnce);
        action.clampWhenFinished = true;
        sampled.samples.forEach((sample, index) => {
            action.reset().play();
            mixer.setTime(times[index]);
            gltf.scene.updateMatrixWorld(true);
            for (const joint of sample.joints) {
                const object = objectOfNode.get(joint.node);
                if (object === undefined) {
                    throw new Error(`joint '${joint.name}' is no node of the file`);
                }
                const millimetres = 1000 * metresPerUnit *
                    displacement(object, joint.model, shellOfNode.get(joint.node));
                compared++;
                if (!(millimetres <= worst.millimetres)) {
                    worst = { millimetres, where: `${clip.name}, ${joint.name}, ${times[index]} s` };
                }
            }
        });
        mixer.stopAllAction(); // puts everything back to rest for the next clip
    }
} finally {
    rmSync(folder, { recursive: true, force: true });
}
const isGood = compared > 0 && worst.millimetres <= limitMillimetres;
console.log(`${basename(file)}: ${compared} matrices, largest distance ` +
    `${worst.millimetres.toFixed(5)} mm (${worst.where}), ${isGood ? 'ok' : 'TOO FAR'}`);
process.exit(isGood ? 0 : 1);
