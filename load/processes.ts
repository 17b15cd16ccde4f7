import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Meter } from "./measure.ts";

/** CPU time and memory of processes, read from /proc: Linux only, in ticks of 10 ms. */
const TICK_MS = 10;

/** Returns the CPU time of a process so far, user and system, in milliseconds. */
export function cpuMs(pid: number): number {
  const [user, system] = cpuFields(pid);
  return (user + system) * TICK_MS;
}

/** Returns the CPU time of a process and its children, ended ones included. */
export function familyCpuMs(pid: number): number {
  const own = cpuFields(pid).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
  // A child that ends while it is read counts for nothing: its parent's time contains it from then on.
  return childrenOf(pid).reduce((sum, child) => sum + (unlessGone(() => cpuMs(child)) ?? 0), own);
}

/** Returns a meter of one process and its database. @param databaseMs reads the CPU time of a database server */
export function meterOf(pid: number, databaseMs: () => number = () => 0): Meter {
  return () => ({ serverMs: cpuMs(pid), databaseMs: databaseMs() });
}

/** Returns the children that any thread of a process has started; none once it has ended. */
export function childrenOf(pid: number): number[] {
  const tasks = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return tasks.flatMap((task) => {
    const children = unlessGone(() => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")) ?? "";
    return children.split(" ").filter(Boolean).map(Number);
  });
}

/** Returns undefined where the process has ended. */
export function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Returns utime, stime, cutime and cstime of proc_pid_stat(5), in ticks. */
function cpuFields(pid: number): [number, number, number, number] {
  return statFields(pid).slice(11, 15).map(Number) as [number, number, number, number];
}

/** Returns the fields of proc_pid_stat(5) from `state` on: the name before it, in brackets, may contain anything. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Returns whether a process runs; one that has ended and that its parent has not collected does not. */
export function isRunning(pid: number): boolean {
  const state = unlessGone(() => statFields(pid)[0]);
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Returns the resident memory of a process in bytes; 0 once it has ended. */
export function residentBytes(pid: number): number {
  return memoryField(pid, "VmRSS");
}

/** Returns the memory of a process and its children in bytes, without shared memory such as PostgreSQL's buffers. */
export function familyBytes(pid: number): number {
  return [...bytesOfEach(pid).values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns that memory for each of the processes, by process id. */
export function bytesOfEach(pid: number): Map<number, number> {
  const processes = [pid, ...childrenOf(pid)];
  return new Map(processes.map((each) => [each, memoryField(each, "VmRSS") - memoryField(each, "RssShmem")]));
}

function memoryField(pid: number, field: string): number {
  const status = unlessGone(() => readFileSync(`/proc/${pid}/status`, "utf8")) ?? "";
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
}

/** Sends a signal to those of the processes that run. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) if (isRunning(pid)) unlessGone(() => process.kill(pid, name));
}

/** Ends a child process and waits for its end. */
export async function end(child: ChildProcess, name: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(name);
  await exit;
}

/** Starts a Node program in a process of its own and waits until `pattern` matches its output. */
export async function startProgram(
  file: string,
  { args = [], env = {}, pattern }: { args?: string[]; env?: Record<string, string>; pattern: RegExp },
): Promise<{ child: ChildProcess; found: RegExpExecArray }> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk;
      const match = pattern.exec(output);
      if (match) resolve(match);
    });
  });
  return { child, found };
}

/** Returns a port of the loopback interface that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
