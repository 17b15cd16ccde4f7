import { join, resolve } from "node:path";
import { AgentError } from "../errors.ts";
import { diskSteps, type FileSteps, isMissing, namesIn, readIfThere } from "./files.ts";
import { type Identity, parseIdentity, type StateFiles } from "./identity.ts";

/**
 * The state folder. The files at the top have fixed names, for any MQTT client to use, so replacing them takes several
 * renames, which are not atomic together. Renaming a folder is atomic:
 *
 *   next/     a complete renewed identity that has not connected yet
 *   commit/   a complete identity that replaces the one at the top; copied there, then removed
 *
 * As long as `commit/` exists, it is the identity in use, and the next process finishes the copying. A kill at any
 * point therefore leaves either the old identity or the new one.
 */
const NEXT = "next";
const COMMIT = "commit";
const REQUIRED = ["key.pem", "cert.pem", "chain.pem", "fullchain.pem", "ca.pem", "device.json"] as const;
const NAMES = [...REQUIRED, "https-ca.pem"] as const;
const DONE = `${COMMIT}.done-`;
const FILE_LEFTOVER = /\.tmp-\d+-\d+$/;
const READ_TRIES = 5;

/**
 * Returns the identity in use. It only reads, so it is safe while an agent runs.
 *
 * @throws AgentError `not_enrolled` if there is none, `state_damaged` if the files do not fit together
 */
export async function loadIdentity(stateDir: string): Promise<Identity> {
  for (let left = READ_TRIES; ; left--) {
    try {
      const files = (await readSet(join(stateDir, COMMIT))) ?? (await readSet(stateDir));
      if (files === undefined) throw new AgentError("not_enrolled", `There is no identity in ${resolve(stateDir)}.`);
      return parseIdentity(stateDir, files);
    } catch (error) {
      // Another process may be copying; the next read then finds `commit/`.
      if (left <= 1 || !(error instanceof AgentError) || error.code !== "state_damaged") throw error;
    }
  }
}

/** Returns the renewed identity that has not connected yet, or undefined. */
export async function loadCandidate(stateDir: string): Promise<Identity | undefined> {
  const files = await readSet(join(stateDir, NEXT));
  return files === undefined ? undefined : parseIdentity(stateDir, files);
}

/** Makes `files` the identity in use. */
export async function commitFiles(stateDir: string, files: StateFiles, steps: FileSteps = diskSteps): Promise<void> {
  await steps.makeFolder(stateDir);
  await finishCommit(stateDir, steps);
  await writeSet(stateDir, COMMIT, files, steps);
  await finishCommit(stateDir, steps);
  await steps.remove(join(stateDir, NEXT));
}

/** Stores `files` beside the identity in use until a connection with them has succeeded. */
export async function stageCandidate(stateDir: string, files: StateFiles, steps: FileSteps = diskSteps): Promise<void> {
  await writeSet(stateDir, NEXT, files, steps);
}

/** Makes the staged candidate the identity in use; does nothing if another process has done so. */
export async function promoteCandidate(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await finishCommit(stateDir, steps);
  if ((await readSet(join(stateDir, NEXT))) === undefined) return;
  await steps.rename(join(stateDir, NEXT), join(stateDir, COMMIT)).catch(ignoreMissing);
  await steps.syncFolder(stateDir);
  await finishCommit(stateDir, steps);
}

/** Deletes the staged candidate, for when the broker accepts the old identity and refuses the new one. */
export async function discardCandidate(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await steps.remove(join(stateDir, NEXT));
}

/** Finishes an interrupted replacement, and deletes its temporary files. Several processes may do so at once. */
export async function finishCommit(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  const files = await readSet(join(stateDir, COMMIT));
  if (files !== undefined) {
    await copyToTop(stateDir, files, steps);
    // Renamed first, so that a partly deleted `commit/` is never read.
    await steps.rename(join(stateDir, COMMIT), join(stateDir, `${DONE}${unique()}`)).catch(ignoreMissing);
    await sweep(stateDir, (name) => FILE_LEFTOVER.test(name), steps);
  }
  await sweep(stateDir, (name) => name.startsWith(DONE), steps);
}

async function copyToTop(stateDir: string, files: StateFiles, steps: FileSteps): Promise<void> {
  for (const name of NAMES) {
    const text = files[name];
    if (text === undefined) continue;
    const temporary = join(stateDir, `${name}.tmp-${unique()}`);
    await steps.write(temporary, text, modeOf(name));
    // The file is missing if another process has finished the same commit: it has written the same text and deleted
    // this file.
    await steps.rename(temporary, join(stateDir, name)).catch(ignoreMissing);
  }
  await steps.syncFolder(stateDir);
}

async function sweep(stateDir: string, isLeftover: (name: string) => boolean, steps: FileSteps): Promise<void> {
  for (const name of await namesIn(stateDir)) if (isLeftover(name)) await steps.remove(join(stateDir, name));
}

let count = 0;

/** Returns a suffix that distinguishes temporary names between processes and within this one. */
const unique = (): string => `${process.pid}-${count++}`;

async function writeSet(stateDir: string, name: string, files: StateFiles, steps: FileSteps): Promise<void> {
  const temporary = join(stateDir, `${name}.tmp`);
  await steps.remove(temporary);
  await steps.makeFolder(temporary);
  for (const file of NAMES) {
    const text = files[file];
    if (text !== undefined) await steps.write(join(temporary, file), text, modeOf(file));
  }
  await steps.syncFolder(temporary);
  await steps.remove(join(stateDir, name));
  await steps.rename(temporary, join(stateDir, name));
  await steps.syncFolder(stateDir);
}

/** Returns the files of one folder, or undefined unless all required ones exist. */
async function readSet(folder: string): Promise<StateFiles | undefined> {
  const texts = await Promise.all(NAMES.map((name) => readIfThere(join(folder, name))));
  const files = Object.fromEntries(NAMES.map((name, i) => [name, texts[i]])) as Partial<StateFiles>;
  return REQUIRED.every((name) => files[name] !== undefined) ? (files as StateFiles) : undefined;
}

const modeOf = (name: string): number => (name === "key.pem" ? 0o600 : 0o644);

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
