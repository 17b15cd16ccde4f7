/** A row, or a peer of one, that this machine cannot run; the message says why. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** CPU time in milliseconds. The embedded database is part of the server. */
export interface Cpu {
  readonly serverMs: number;
  readonly databaseMs: number;
}

/** Reads the CPU time used so far. */
export type Meter = () => Cpu;

/** Returns a function that reads the CPU time used since this call. */
export function startMeter(meter: Meter): Meter {
  const before = meter();
  return () => {
    const now = meter();
    return { serverMs: now.serverMs - before.serverMs, databaseMs: now.databaseMs - before.databaseMs };
  };
}

/** Pieces of work with the time and the CPU time that they took. */
export interface Load extends Cpu {
  readonly count: number;
  readonly seconds: number;
}

/** Adds up the loads of several turns. */
export function total(loads: readonly Load[]): Load {
  const sum = (of: keyof Load) => loads.reduce((all, load) => all + load[of], 0);
  return { count: sum("count"), seconds: sum("seconds"), serverMs: sum("serverMs"), databaseMs: sum("databaseMs") };
}

/** Runs `work`, which returns a count, and measures its time and CPU time. */
export async function measured(meter: Meter, work: () => Promise<number>): Promise<Load> {
  const [used, started] = [startMeter(meter), performance.now()];
  const count = await work();
  return { count, seconds: (performance.now() - started) / 1000, ...used() };
}

/** Runs `work` in `workers` concurrent loops, each until `seconds` have passed or `work` returns `false`. */
export async function sustain(
  meter: Meter,
  { workers, seconds }: { workers: number; seconds: number },
  work: (worker: number) => Promise<boolean>,
): Promise<Load> {
  return await measured(meter, async () => {
    let count = 0;
    const end = performance.now() + seconds * 1000;
    const run = async (index: number): Promise<void> => {
      while (performance.now() < end && (await work(index))) count++;
    };
    await Promise.all(Array.from({ length: workers }, (_, index) => run(index)));
    return count;
  });
}

/** Returns the value that `share` of the sample does not exceed. */
export function percentile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Returns what `work` returns. @throws Error that names `what` after `seconds` */
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

/** Polls every 20 ms until `ready` returns a value. @throws Error that names `what` after `seconds` */
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

/** Formats a number with three significant digits. */
export function readable(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** Returns a function that prints a line with the seconds since this call. */
export function progressTo(print: (line: string) => void): (line: string) => void {
  const started = performance.now();
  return (line) => print(`[${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s] ${line}`);
}
