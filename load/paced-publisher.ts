import { sleep } from "./measure.ts";
import type { Session } from "./mqtt-client.ts";
import { packetBytes, publishPacket, QUIET } from "./publish-packet.ts";

const TICK_MS = 5;
const PUBACK_OCTETS = 4;
/** The longest that the last acknowledgements may take. */
const LAST_MS = 60_000;

export interface Pace {
  readonly perSecond: number;
  /** When to stop; a number of seconds or a signal. */
  readonly until: number | AbortSignal;
  /** The values of every message. */
  readonly values?: string;
  /** Returns other values for the `count`th message of all. */
  readonly special?: (count: number) => string | undefined;
  /** The age of the messages' times. */
  readonly behindMs?: number;
}

/**
 * Publishes at QoS 1 at a steady rate, the sessions taking turns, without waiting for acknowledgements.
 *
 * @returns the milliseconds from each message to its PUBACK; `Infinity` where none came
 */
export async function publishPaced(
  sessions: readonly Session[],
  { perSecond, until, values = QUIET, special = () => undefined, behindMs = 0 }: Pace,
): Promise<number[]> {
  const publishers = sessions.map((session) => publisherOn(session, values));
  const started = performance.now();
  const isOver = () => (typeof until === "number" ? performance.now() - started >= until * 1000 : until.aborted);
  for (let sent = 0; !isOver(); await sleep(TICK_MS)) {
    const due = Math.floor(((performance.now() - started) * perSecond) / 1000);
    for (; sent < due; sent++) publishers[sent % publishers.length]!.send(special(sent), Date.now() - behindMs);
  }
  const last = performance.now() + LAST_MS;
  while (publishers.some(({ waiting }) => waiting.length > 0) && performance.now() < last) await sleep(TICK_MS);
  return publishers.flatMap(({ delays, waiting, stop }) => {
    stop();
    return [...delays, ...waiting.map(() => Number.POSITIVE_INFINITY)];
  });
}

/** A session's acknowledgements arrive in the order of its messages. */
function publisherOn({ socket, topic }: Session, values: string) {
  const packet = publishPacket(topic, values);
  const [delays, waiting]: [number[], number[]] = [[], []];
  let [count, octets] = [0, 0];
  const received = (chunk: Buffer) => {
    octets += chunk.length;
    const acknowledged = Math.floor(octets / PUBACK_OCTETS);
    octets -= acknowledged * PUBACK_OCTETS;
    const now = performance.now();
    for (const sentAt of waiting.splice(0, acknowledged)) delays.push(now - sentAt);
  };
  socket.on("data", received);
  return {
    delays,
    waiting,
    send(special: string | undefined, timeMs: number) {
      const bytes = packetBytes(special === undefined ? packet : publishPacket(topic, special), count++, timeMs);
      waiting.push(performance.now());
      socket.write(bytes);
    },
    stop: () => void socket.off("data", received),
  };
}
