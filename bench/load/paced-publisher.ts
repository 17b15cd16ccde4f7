import type { TLSSocket } from "node:tls";
import { generate } from "mqtt-packet";
import { sleep } from "../measure.ts";
import { QUIET } from "./rules.ts";

const TICK_MS = 5;
/** A value beyond every rule, that also says which breach it is. */
export const FIRST_BREACH = 1000;

export interface Paced {
  readonly count: number;
  /** When each breach was sent, by `performance.now()`; its value was {@link FIRST_BREACH} + its index. */
  readonly breaches: readonly number[];
}

/**
 * Publishes at QoS 1 at a steady rate, the sessions taking turns, whether or not what went before is acknowledged. One message
 * in `oneIn` breaks a rule, but for the first seconds; the next of the same device is well again.
 */
export async function publishPaced(
  sessions: readonly { socket: TLSSocket; topic: string }[],
  {
    perSecond,
    oneIn,
    warmUpSeconds,
    seconds,
  }: { perSecond: number; oneIn: number; warmUpSeconds: number; seconds: number },
): Promise<Paced> {
  const state = { count: 0, breaches: [] as number[] };
  const started = performance.now();
  for (let now = 0; now < (warmUpSeconds + seconds) * 1000; now = performance.now() - started) {
    const due = Math.floor((now * perSecond) / 1000);
    while (state.count < due) sendNext(sessions, state, now < warmUpSeconds * 1000 ? Infinity : oneIn);
    await sleep(TICK_MS);
  }
  return state;
}

function sendNext(
  sessions: readonly { socket: TLSSocket; topic: string }[],
  state: { count: number; breaches: number[] },
  oneIn: number,
): void {
  const { socket, topic } = sessions[state.count % sessions.length]!;
  const messageId = (Math.floor(state.count / sessions.length) % 65_535) + 1;
  const breaks = oneIn !== Infinity && state.count % oneIn === 0;
  const values = breaks
    ? `{"temperature":21.5,"pressure":4.25,"vibration":${FIRST_BREACH + state.breaches.push(performance.now()) - 1}}`
    : QUIET;
  const payload = `{"ts":${Date.now()},"values":${values}}`;
  socket.write(generate({ cmd: "publish", topic, payload, qos: 1, messageId, dup: false, retain: false }));
  state.count++;
}
