import { open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AgentError } from "../errors.ts";
import { systemRuntime } from "../runtime.ts";
import { isMissing } from "./files.ts";

const NAME = "agent.lock";
/** Longer than any exchange can last; a lock older than this is stale, even if a process with its id exists. */
const STALE_MS = 10 * 60_000;

/** Locks of this process: after a restart in a container the stopped owner often had the same process id. */
const locks = new Set<string>();

/**
 * Runs `work` while no other process enrolls or renews in the same folder: two renewals with one certificate would
 * cost one of them its identity (spec 3.2).
 *
 * @throws AgentError `state_locked` when another holds it
 */
export async function withStateLock<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const path = join(stateDir, NAME);
  if (locks.has(path)) throw locked(stateDir);
  locks.add(path);
  try {
    await take(path, stateDir);
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    locks.delete(path);
  }
}

async function take(path: string, stateDir: string): Promise<void> {
  for (const last of [false, true]) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(`${process.pid}\n`);
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (last || !(await isStale(path))) throw locked(stateDir);
      await rm(path, { force: true });
    }
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    if (Math.abs(systemRuntime.now() - mtimeMs) > STALE_MS) return true;
    const pid = Number(text);
    // Just created and not yet written counts as locked.
    if (!Number.isInteger(pid) || pid <= 0) return false;
    return pid === process.pid || !isRunning(pid);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const locked = (stateDir: string) =>
  new AgentError("state_locked", `Another process is enrolling or renewing in ${stateDir}.`);
