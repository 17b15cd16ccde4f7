import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

const PROGRAM = join(dirname(import.meta.dirname), "main.ts");

/** The end of a run of the simulator. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Starts the simulator in a process of its own. */
export function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Waits for its end and returns its output. */
export async function end(child: ChildProcess): Promise<Ran> {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, "exit")]);
  return { stdout, stderr, code };
}

/** Runs it, and asserts that it kept all promises. @returns the figures that it wrote */
export async function figuresOf(folder: string, args: readonly string[]) {
  const json = join(folder, "figures.json");
  const ran = await end(start([...args, "--json", json]));
  assert.equal(ran.code, 0, `${ran.stderr}\n${ran.stdout}`);
  assert.match(ran.stdout, /All as promised\.\n$/);
  return JSON.parse(await readFile(json, "utf8"));
}
