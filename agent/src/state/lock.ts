import { open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AgentError } from "../errors.ts";
import { systemRuntime } from "../runtime.ts";
import { isMissing } from "./files.ts";

const NAME = "agent.lock";
/**
 * Longer than any exchange lasts. The process that created an older lock has ended, even if another process now has its
 * id.
 */
const STALE_MS = 10 * 60_000;

/**
 * The locks of this process. After a restart in a container, a stale lock often contains the id of the present process.
 */
const ownLocks = new Set<string>();

/**
 * Runs `work` under a lock, so that no other process enrolls or renews in the same folder: of two renewals with one
 * certificate, one would lose its identity (spec 3.2).
 *
 * @throws AgentError `state_locked` if another process has the lock
 */
export async function withStateLock<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const path = join(stateDir, NAME);
  if (ownLocks.has(path)) throw locked(stateDir);
  ownLocks.add(path);
  try {
    await acquire(path, stateDir);
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    ownLocks.delete(path);
  }
}

async function acquire(path: string, stateDir: string): Promise<void> {
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
    // A lock that was created but not yet written is valid.
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
