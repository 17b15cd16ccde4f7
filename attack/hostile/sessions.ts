import type { TLSSocket } from "node:tls";
import { type Identity, type MqttTarget, openMqtt } from "../../bench/load/mqtt-client.ts";
import { sleep } from "../../bench/measure.ts";
import type { Done, Run } from "../attack.ts";

const TICK_MS = 10;
const RECONNECT_MS = 500;
/** A server that pauses reading must not fill this process's memory. */
const MOST_WAITING_BYTES = 512 * 1024;

/** Devices of the attacker, connected by certificate. */
export interface HostileSessions {
  readonly target: MqttTarget;
  readonly identities: readonly Identity[];
}

/**
 * Keeps a session open for each device until `ended`, and opens it again when the server has closed it. `use` has it for as long as
 * it is open, and answers with how many messages it sent.
 */
export async function keepSessions(
  { target, identities }: HostileSessions,
  { ended, begun }: Run,
  use: (socket: TLSSocket, device: Identity, index: number) => Promise<number>,
): Promise<Done> {
  let [tried, sent, closed] = [0, 0, 0];
  const keep = async (device: Identity, index: number): Promise<void> => {
    for (let tries = 1; !ended.aborted; tries++) {
      const socket = await openMqtt(target, device).catch(() => undefined);
      if (tries === 1 && ++tried === identities.length) begun();
      if (socket) {
        // What the server answers is read and ignored.
        socket.resume();
        const more = await use(socket, device, index);
        sent += more;
        socket.destroy();
      }
      if (ended.aborted) return;
      closed++;
      await sleep(RECONNECT_MS);
    }
  };
  await Promise.all(identities.map(keep));
  return { count: sent, text: `${sent} messages, ${closed} sessions closed or refused by the server` };
}

/** Sends what `next` makes, `perSecond` times a second, until `ended` or until the server closes the session. @returns how many */
export async function sendAtRate(
  socket: TLSSocket,
  perSecond: number,
  ended: AbortSignal,
  next: (count: number) => Buffer | undefined,
): Promise<number> {
  const started = performance.now();
  let [due, sent] = [0, 0];
  while (!ended.aborted && !socket.destroyed) {
    const turn = Math.floor(((performance.now() - started) * perSecond) / 1000);
    for (; due < turn; due++) {
      if (socket.writableLength > MOST_WAITING_BYTES) continue;
      const packet = next(sent);
      if (packet === undefined) continue;
      socket.write(packet);
      sent++;
    }
    await sleep(TICK_MS);
  }
  return sent;
}
