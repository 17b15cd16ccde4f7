import { type HttpsTarget, openHttps } from "../../load/https-client.ts";
import { sleep, within } from "../../load/measure.ts";
import { closeMqtt, type Identity, type MqttTarget, openMqtt } from "../../load/mqtt-client.ts";

/** A request that takes longer has failed. */
const TIMEOUT_SECONDS = 30;

export interface Timed {
  readonly delays: number[];
  /** Why a repetition failed, of each that did. */
  readonly failures: string[];
}

/** Requests on one connection every `everyMs` until `ended`; a connection that the server closes is a failure, and replaced. */
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

/** Opens a connection of its own for each request, as a new client does. */
export async function newConnectionDelays(target: HttpsTarget, everyMs: number, ended: AbortSignal): Promise<Timed> {
  return await repeat(everyMs, ended, async () => {
    const client = await openHttps(target);
    await client.send("GET", "/healthz").finally(() => client.close());
  });
}

/** Connects a device, waits for its CONNACK and disconnects it. */
export async function newSessionDelays(
  target: MqttTarget,
  device: Identity,
  everyMs: number,
  ended: AbortSignal,
): Promise<Timed> {
  return await repeat(everyMs, ended, async () => closeMqtt(await openMqtt(target, device)));
}

async function repeat(everyMs: number, ended: AbortSignal, work: () => Promise<void>): Promise<Timed> {
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
