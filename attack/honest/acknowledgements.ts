import type { TLSSocket } from "node:tls";
import { messageIdOf, publishPacket } from "../../bench/load/publish-packet.ts";
import { sleep } from "../../bench/measure.ts";

const TICK_MS = 5;
const PUBACK_OCTETS = 4;
/** How long after the phase the last acknowledgements are waited for. */
const LAST_MS = 30_000;
/** Breaks no rule of the honest tenant. */
const QUIET = '{"temperature":21.5}';

export interface HonestSession {
  readonly socket: TLSSocket;
  readonly topic: string;
}

/**
 * Publishes at QoS 1 at a steady rate until `ended`, the sessions taking turns, without waiting for acknowledgements.
 *
 * @returns milliseconds from sending to PUBACK, of each message; `Infinity` of one that is not acknowledged
 */
export async function acknowledgementDelays(
  sessions: readonly HonestSession[],
  perSecond: number,
  ended: AbortSignal,
): Promise<number[]> {
  const publishers = sessions.map(publisherOn);
  const started = performance.now();
  for (let sent = 0; !ended.aborted; await sleep(TICK_MS)) {
    const due = Math.floor(((performance.now() - started) * perSecond) / 1000);
    for (; sent < due; sent++) publishers[sent % publishers.length]!.send();
  }
  const last = performance.now() + LAST_MS;
  while (publishers.some(({ waiting }) => waiting.length > 0) && performance.now() < last) await sleep(TICK_MS);
  return publishers.flatMap(({ delays, waiting, stop }) => {
    stop();
    return [...delays, ...waiting.map(() => Number.POSITIVE_INFINITY)];
  });
}

/** A session's acknowledgements come in the order of its messages. */
function publisherOn({ socket, topic }: HonestSession) {
  const packet = publishPacket(topic, QUIET);
  const [delays, waiting]: [number[], number[]] = [[], []];
  let [count, octets] = [0, 0];
  const received = (chunk: Buffer) => {
    for (octets += chunk.length; octets >= PUBACK_OCTETS; octets -= PUBACK_OCTETS)
      delays.push(performance.now() - waiting.shift()!);
  };
  socket.on("data", received);
  return {
    delays,
    waiting,
    send() {
      const bytes = Buffer.allocUnsafe(packet.length);
      packet.write(bytes, 0, messageIdOf(count++), Date.now());
      waiting.push(performance.now());
      socket.write(bytes);
    },
    stop: () => void socket.off("data", received),
  };
}
