import { sleep } from "../load/measure.ts";
import type { PrivatePostgres } from "../load/postgres.ts";
import type { Options } from "./options.ts";
import type { StreamContents } from "./target/part-meter.ts";
import type { Target } from "./target/target.ts";
import { untilSo } from "./until.ts";

/** A message is deleted from the stream about a second after it was stored, and each process looks once a second. */
const BACKLOG_SECONDS = 4;
const UPDATED_MS = 2_000;
const POLL_MS = 250;

/** A time in which PostgreSQL does not answer. */
export interface Outage {
  /** The name of its phase, such as `PostgreSQL paused`. */
  readonly name: string;
  readonly seconds: number;
  begin(postgres: PrivatePostgres): Promise<void>;
  end(postgres: PrivatePostgres): Promise<void>;
}

/** Returns the outages of the options, in their order. */
export function outagesOf({ pausePostgresql, stopPostgresql }: Options): Outage[] {
  const paused = { name: "PostgreSQL paused", begin: async (it: PrivatePostgres) => it.pause() };
  const stopped = { name: "PostgreSQL stopped", begin: (it: PrivatePostgres) => it.halt() };
  return [
    ...pausePostgresql.map((seconds) => ({ ...paused, seconds, end: async (it: PrivatePostgres) => it.resume() })),
    ...stopPostgresql.map((seconds) => ({ ...stopped, seconds, end: (it: PrivatePostgres) => it.start() })),
  ];
}

/** Waits until the stream has no backlog, while devices publish. @returns false when it has one after `seconds` */
export function backlogStored(target: Target, seconds: number): Promise<boolean> {
  return streamBecomes(target, seconds, ({ oldestSeconds }) => oldestSeconds < BACKLOG_SECONDS);
}

/** Waits until the stream is empty, once devices publish no more. @returns false when it is not after `seconds` */
export async function allStored(target: Target, seconds: number): Promise<boolean> {
  await sleep(UPDATED_MS);
  return await streamBecomes(target, seconds, ({ bytes }) => bytes === 0);
}

function streamBecomes(
  { own }: Target,
  seconds: number,
  isSo: (contents: StreamContents) => boolean,
): Promise<boolean> {
  const ask = async () => {
    const contents = await own!.meter.stream();
    return contents !== undefined && isSo(contents);
  };
  return untilSo(seconds, ask, POLL_MS);
}
