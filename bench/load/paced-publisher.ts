import type { TLSSocket } from "node:tls";
import { sleep } from "../measure.ts";
import { messageIdOf, type PublishPacket, publishPacket } from "./publish-packet.ts";
import { QUIET } from "./rules.ts";

const TICK_MS = 5;
/** Values from here on break every rule; the difference is the index of the breach. */
export const FIRST_BREACH = 1000;

export interface Paced {
  readonly count: number;
  /** When each breach was sent, by `performance.now()`; its value was {@link FIRST_BREACH} + its index. */
  readonly breaches: readonly number[];
}

interface Session {
  readonly socket: TLSSocket;
  readonly topic: string;
  readonly quiet: PublishPacket;
}

interface State {
  count: number;
  breaches: number[];
}

/**
 * Publishes at QoS 1 at a steady rate, the sessions taking turns, without waiting for acknowledgements. After the warm-up one
 * message in `oneIn` breaks a rule; the device's next message breaks none. Times are `behindMs` before now.
 */
export async function publishPaced(
  targets: readonly { socket: TLSSocket; topic: string }[],
  {
    perSecond,
    oneIn,
    warmUpSeconds,
    seconds,
    behindMs = 0,
  }: { perSecond: number; oneIn: number; warmUpSeconds: number; seconds: number; behindMs?: number },
): Promise<Paced> {
  const sessions = targets.map((target) => ({ ...target, quiet: publishPacket(target.topic, QUIET) }));
  const state: State = { count: 0, breaches: [] };
  const started = performance.now();
  for (let now = 0; now < (warmUpSeconds + seconds) * 1000; now = performance.now() - started) {
    const due = Math.floor((now * perSecond) / 1000);
    while (state.count < due) sendNext(sessions, state, now < warmUpSeconds * 1000 ? Infinity : oneIn, behindMs);
    await sleep(TICK_MS);
  }
  return state;
}

function sendNext(sessions: readonly Session[], state: State, oneIn: number, behindMs: number): void {
  const { socket, topic, quiet } = sessions[state.count % sessions.length]!;
  const breaks = oneIn !== Infinity && state.count % oneIn === 0;
  const packet = breaks ? publishPacket(topic, breach(state.breaches.push(performance.now()) - 1)) : quiet;
  const bytes = Buffer.allocUnsafe(packet.length);
  packet.write(bytes, 0, messageIdOf(Math.floor(state.count / sessions.length)), Date.now() - behindMs);
  socket.write(bytes);
  state.count++;
}

function breach(index: number): string {
  return `{"temperature":21.5,"pressure":4.25,"vibration":${FIRST_BREACH + index}}`;
}
