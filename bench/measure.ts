import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in ticks of 10 ms. */
const TICK_MS = 10;

/** CPU time a process has used so far, user and system, in milliseconds. Linux only. */
export function cpuMs(pid: number): number {
  const [user, system] = cpuFields(pid);
  return (user + system) * TICK_MS;
}

/** The same of a process and its children, those included that have ended. */
export function familyCpuMs(pid: number): number {
  const [user, system, endedUser, endedSystem] = cpuFields(pid);
  return childrenOf(pid).reduce(
    (sum, child) => sum + runningCpuMs(child),
    (user + system + endedUser + endedSystem) * TICK_MS,
  );
}

/** Process ids of the children that any thread of a process has started. None where it has ended. Linux only. */
export function childrenOf(pid: number): number[] {
  const tasks = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return tasks.flatMap((task) => {
    const children = unlessGone(() => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")) ?? "";
    return children.split(" ").filter(Boolean).map(Number);
  });
}

/** @returns undefined where the process has ended */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Of a process that ends while it is read, as PostgreSQL's parallel workers do, nothing: from then on its parent's time contains it. */
function runningCpuMs(pid: number): number {
  return unlessGone(() => cpuMs(pid)) ?? 0;
}

/** utime, stime, cutime and cstime of proc_pid_stat(5), in ticks. */
function cpuFields(pid: number): [number, number, number, number] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The command's name is in brackets and may hold anything; fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).map(Number) as [number, number, number, number];
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes?.[1] ?? Number.NaN) * 1024;
}

/**
 * Memory of a process and its children, in bytes, without what they share, such as PostgreSQL's buffers; 0 where it has ended.
 */
export function familyBytes(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => {
    const status = unlessGone(() => readFileSync(`/proc/${each}/status`, "utf8")) ?? "";
    const kilobytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
    return sum + (kilobytes("VmRSS") - kilobytes("RssShmem")) * 1024;
  }, 0);
}

/** CPU time in milliseconds, of a server and of its database; the embedded database is part of the server. */
export interface Cpu {
  readonly serverMs: number;
  readonly databaseMs: number;
}

/** Reads how much CPU time has been used so far. */
export type Meter = () => Cpu;

/** @param databaseMs reads the CPU time of a database with processes of its own */
export function meterOf(pid: number, databaseMs: () => number = () => 0): Meter {
  return () => ({ serverMs: cpuMs(pid), databaseMs: databaseMs() });
}

/** @returns a function that reads what has been used since */
export function startMeter(meter: Meter): Meter {
  const before = meter();
  return () => {
    const now = meter();
    return { serverMs: now.serverMs - before.serverMs, databaseMs: now.databaseMs - before.databaseMs };
  };
}

export interface Load extends Cpu {
  readonly count: number;
  readonly seconds: number;
}

export const NO_LOAD: Load = { count: 0, seconds: 0, serverMs: 0, databaseMs: 0 };

export function total(loads: readonly Load[]): Load {
  return loads.reduce(
    (sum, load) => ({
      count: sum.count + load.count,
      seconds: sum.seconds + load.seconds,
      serverMs: sum.serverMs + load.serverMs,
      databaseMs: sum.databaseMs + load.databaseMs,
    }),
    NO_LOAD,
  );
}

/** Runs `work` in `workers` concurrent loops, each until `seconds` are over or `work` answers `false`. */
export async function sustain(
  meter: Meter,
  { workers, seconds }: { workers: number; seconds: number },
  work: (worker: number) => Promise<boolean>,
): Promise<Load> {
  let count = 0;
  const [used, started] = [startMeter(meter), performance.now()];
  const end = started + seconds * 1000;
  const run = async (index: number): Promise<void> => {
    while (performance.now() < end && (await work(index))) count++;
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => run(index)));
  return { count, seconds: (performance.now() - started) / 1000, ...used() };
}

/** The value below which `share` of the sample lies. */
export function percentile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** `work`, or an error that names it after `seconds`. */
export async function within<T>(seconds: number, what: () => string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what()}: not within ${seconds} s`)), seconds * 1000);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until `ready` gives a value, polling every 20 ms. */
export async function until<T>(
  what: string,
  seconds: number,
  ready: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const value = await ready();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(20);
  }
}
