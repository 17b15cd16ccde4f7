import { throwIfEnded } from "../load/interrupt.ts";
import { sleep } from "../load/measure.ts";
import type { PrivatePostgres } from "../load/postgres.ts";
import type { Options } from "./options.ts";
import type { StreamContents } from "./target/part-meter.ts";
import type { Target } from "./target/target.ts";

/** What the stream holds is deleted about a second after it was stored, and each process looks once a second: a younger one is no backlog. */
const BACKLOG_SECONDS = 4;
const UPDATED_MS = 2_000;
const POLL_MS = 250;

/** A time in which PostgreSQL does not answer. */
export interface Outage {
  /** Of its phase, such as `PostgreSQL paused`. */
  readonly name: string;
  readonly seconds: number;
  begin(postgres: PrivatePostgres): Promise<void>;
  end(postgres: PrivatePostgres): Promise<void>;
}

/** Those of the options, in their order. */
export function outagesOf({ pausePostgresql, stopPostgresql }: Options): Outage[] {
  const paused = { name: "PostgreSQL paused", begin: async (it: PrivatePostgres) => it.pause() };
  const stopped = { name: "PostgreSQL stopped", begin: (it: PrivatePostgres) => it.halt() };
  return [
    ...pausePostgresql.map((seconds) => ({ ...paused, seconds, end: async (it: PrivatePostgres) => it.resume() })),
    ...stopPostgresql.map((seconds) => ({ ...stopped, seconds, end: (it: PrivatePostgres) => it.start() })),
  ];
}

/** Waits until the ingest stream has no backlog, while devices publish. @param seconds at most @returns false when it has one then */
export function backlogStored(target: Target, seconds: number): Promise<boolean> {
  return streamBecomes(target, seconds, ({ oldestSeconds }) => oldestSeconds < BACKLOG_SECONDS);
}

/** Waits until the ingest stream is empty, when devices publish no more. @param seconds at most @returns false when it is not by then */
export async function allStored(target: Target, seconds: number): Promise<boolean> {
  await sleep(UPDATED_MS);
  return await streamBecomes(target, seconds, ({ bytes }) => bytes === 0);
}

async function streamBecomes(
  { meter }: Target,
  seconds: number,
  isSo: (contents: StreamContents) => boolean,
): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const contents = await meter!.stream();
    if (contents !== undefined && isSo(contents)) return true;
    if (performance.now() > end) return false;
    throwIfEnded();
    await sleep(POLL_MS);
  }
}
