import { type HttpsTarget, openHttps } from "../../load/https-client.ts";
import { sleep, within } from "../../load/measure.ts";

/** A request that takes longer has failed. */
const TIMEOUT_SECONDS = 30;

export interface Timed {
  readonly delays: number[];
  /** The reasons why repetitions failed. */
  readonly failures: string[];
}

/** Sends requests on one connection every `everyMs`; a connection that the server closes is a failure, and replaced. */
export async function requestDelays(
  target: HttpsTarget,
  everyMs: number,
  ended: AbortSignal,
  request: (count: number) => { path: string; key?: string },
): Promise<Timed> {
  let client = await openHttps(target);
  let count = 0;
  const timed = await repeat(everyMs, ended, async () => {
    const { path, key } = request(count++);
    try {
      const answer = await client.send("GET", path, "", key === undefined ? {} : { "x-api-key": key });
      if (answer.status !== 200) throw new Error(`GET ${path} was answered with ${answer.status}`);
    } catch (error) {
      client.close();
      client = await openHttps(target);
      throw error;
    }
  });
  client.close();
  return timed;
}

/** Repeats `work` every `everyMs` until `ended`. */
export async function repeat(everyMs: number, ended: AbortSignal, work: () => Promise<void>): Promise<Timed> {
  const timed: Timed = { delays: [], failures: [] };
  for (let next = performance.now(); !ended.aborted; next += everyMs) {
    await sleep(Math.max(0, next - performance.now()));
    const started = performance.now();
    next = Math.max(next, started);
    await within(TIMEOUT_SECONDS, () => "an answer", work()).then(
      () => timed.delays.push(performance.now() - started),
      (error: Error) => timed.failures.push(error.message),
    );
  }
  return timed;
}
