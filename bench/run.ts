import { type Figure, Skip } from "./report.ts";

const given = process.argv.slice(2);
const words = given.filter((each) => !each.includes("="));
const started = performance.now();

/** The figures of this run so far, in the order of the report. */
export const figures: Figure[] = [];
/** What could not be measured on this machine, and why. */
export const skipped: string[] = [];

/** Whether the arguments select a row with one of `names`: a part of a name does, and no argument selects every row. */
export function wants(...names: string[]): boolean {
  return words.length === 0 || names.some((name) => words.some((word) => name.includes(word)));
}

/** Whether `name` is an argument as a whole: for rows that run only when they are named. */
export function isNamed(name: string): boolean {
  return words.includes(name);
}

/** The number of the argument `name=…`. */
export function setting(name: string, otherwise: number): number {
  const found = given.find((each) => each.startsWith(`${name}=`));
  return found === undefined ? otherwise : Number(found.slice(name.length + 1));
}

/** Prints a line of progress with the seconds since the start. */
export function progress(text: string): void {
  console.log(`[${((performance.now() - started) / 1000).toFixed(0).padStart(3)} s] ${text}`);
}

export function add(more: readonly Figure[]): void {
  figures.push(...more);
}

/** What `start` returns; undefined, with a line in the report, where it throws {@link Skip}. */
export async function available<T>(without: string, start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    const line = `${error.message}: ${without}`;
    skipped.push(line);
    progress(line);
    return undefined;
  }
}
