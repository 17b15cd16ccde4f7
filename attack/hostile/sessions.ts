import type { TLSSocket } from "node:tls";
import { sleep } from "../../load/measure.ts";
import { type Identity, type MqttTarget, openMqtt } from "../../load/mqtt-client.ts";
import type { Tenant } from "../../load/tenant.ts";
import type { Attack, Done, Environment, Run } from "../attack.ts";

const TICK_MS = 10;
const RECONNECT_MS = 500;
/** The limit of unsent bytes: a server that pauses reading must not fill this process's memory. */
const MOST_WAITING_BYTES = 512 * 1024;

/** Devices of the attacker, connected by certificate. */
export interface HostileSessions {
  readonly target: MqttTarget;
  readonly identities: readonly Identity[];
}

/** The packets of a session and their rate. */
interface Sending {
  readonly perSecond: number;
  /** Returns the session's `count`th packet. */
  packet(count: number): Buffer;
}

/** Returns an attack by devices of a tenant that has the attack's name. */
export function sessionAttack({
  devices,
  sending,
  ...rest
}: Pick<Attack<HostileSessions>, "name" | "what" | "check"> & {
  devices(tenant: Tenant, env: Environment): Promise<Identity[]>;
  sending(device: Identity, index: number): Sending;
}): Attack<HostileSessions> {
  return {
    ...rest,
    prepare: async (env) => ({
      target: env.service.mqtt,
      identities: await devices(await env.newTenant(rest.name), env),
    }),
    assault: (plan, run) =>
      keepSessions(plan, run, (socket, device, index) => sendAtRate(socket, sending(device, index), run.ended)),
  };
}

/**
 * Keeps a session open for each device until `ended`, and opens it again when the server has closed it.
 *
 * @param use sends on an open session until it ends, and returns how many messages it sent
 */
async function keepSessions(
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
        // The server's answers are read and ignored.
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

async function sendAtRate(socket: TLSSocket, { perSecond, packet }: Sending, ended: AbortSignal): Promise<number> {
  const started = performance.now();
  let [due, sent] = [0, 0];
  while (!ended.aborted && !socket.destroyed) {
    const turn = Math.floor(((performance.now() - started) * perSecond) / 1000);
    for (; due < turn; due++) if (socket.writableLength <= MOST_WAITING_BYTES) socket.write(packet(sent++));
    await sleep(TICK_MS);
  }
  return sent;
}
