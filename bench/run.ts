import { throwIfEnded } from "../load/interrupt.ts";
import { progressTo, Skip } from "../load/measure.ts";
import type { Figure } from "./report.ts";

const given = process.argv.slice(2);
const words = given.filter((each) => !each.includes("="));

/** The figures of this run so far, in the order of the report. */
export const figures: Figure[] = [];
/** Rows that failed or that this machine cannot run, and why: any of them makes the run fail. */
export const missing: string[] = [];
/** Peers that this machine cannot run, and why. */
export const withoutPeer: string[] = [];
const begun = new Set<string>();

/** Prints a line of progress with the seconds since the start. */
export const progress = progressTo(console.log);

/** Returns the number of the argument `name=…`. */
export function setting(name: string, otherwise: number): number {
  const found = given.find((each) => each.startsWith(`${name}=`));
  return found === undefined ? otherwise : Number(found.slice(name.length + 1));
}

/** A row that runs only when an argument is its whole name. */
export const onlyNamed = (name: string): string => `${name}!`;

/** Returns whether the arguments select a row: a part of its name does, and no argument selects every row. */
function isWanted(name: string): boolean {
  if (name.endsWith("!")) return words.includes(name.slice(0, -1));
  return words.length === 0 || words.some((word) => name.includes(word));
}

/** Runs a row if it is selected and adds its figures. A row that fails is reported, and the others go on. */
export async function row(name: string, work: () => Promise<readonly Figure[]>): Promise<void> {
  if (!isWanted(name)) return;
  begun.add(name);
  progress(name.replace("!", ""));
  await work().then(
    (found) => figures.push(...found),
    (error: Error) => report(name, error),
  );
  throwIfEnded();
}

/** Runs `work`, which prepares several rows and runs them; skipped unless one of them is selected. */
export async function group(names: readonly string[], work: () => Promise<void>): Promise<void> {
  const wanted = names.filter(isWanted);
  if (wanted.length === 0) return;
  progress(`${wanted.join(", ").replaceAll("!", "")}: preparing`);
  // A signal ends what `work` waits for, and `work` removes what it has started.
  await work().catch((error: Error) => {
    throwIfEnded();
    for (const name of wanted) if (!begun.has(name)) report(name, error);
  });
}

function report(name: string, error: Error): void {
  throwIfEnded();
  const line = `${name.replace("!", "")}: ${error instanceof Skip ? error.message : (error.stack ?? error.message)}`;
  missing.push(line);
  progress(`MISSING ${line}`);
}

/** Starts a peer; undefined, with a line in the report, where it throws {@link Skip}. */
export async function available<T>(start: () => Promise<T>): Promise<T | undefined> {
  return await start().catch((error) => {
    if (!(error instanceof Skip)) throw error;
    withoutPeer.push(error.message);
    progress(`without a peer: ${error.message}`);
    return undefined;
  });
}
