import type { TLSSocket } from "node:tls";
import { closeMqtt, type Identity, type MqttTarget, openAll } from "../load/mqtt-client.ts";
import { residentBytes, sleep } from "../measure.ts";
import type { Figure } from "../report.ts";
import type { BrokerUnderLoad } from "./connect.ts";

export const SESSIONS = 1000;
const A_FEW = 25;
const SETTLE_MS = 2000;

/**
 * Resident memory that 1,000 idle sessions add. The processes are fresh and have served as many connects before, a
 * few at a time, so that compiled code and the garbage of handshakes do not count. Our sessions stay open for the row that revokes them.
 */
export async function idleMemory(
  muster: BrokerUnderLoad,
  mosquitto: BrokerUnderLoad | undefined,
): Promise<{ figures: Figure[]; sessions: TLSSocket[] }> {
  const ours = await grown(muster);
  const theirs = mosquitto && (await grown(mosquitto));
  for (const socket of theirs?.sessions ?? []) await closeMqtt(socket);
  const figure: Figure = {
    name: "memory an idle mTLS session",
    value: ours.kilobytes,
    unit: "KiB",
    ...(theirs === undefined ? {} : { peer: { name: "Mosquitto", value: theirs.kilobytes } }),
  };
  return { figures: [figure], sessions: ours.sessions };
}

async function connectAndLeave(target: MqttTarget, identities: readonly Identity[]): Promise<void> {
  for (let at = 0; at < identities.length; at += A_FEW) {
    const sockets = await openAll(target, identities.slice(at, at + A_FEW));
    await Promise.all(sockets.map(closeMqtt));
  }
}

async function grown({ pid, target, identities }: BrokerUnderLoad) {
  await connectAndLeave(target, identities.slice(0, SESSIONS));
  await sleep(SETTLE_MS);
  const before = residentBytes(pid);
  const sessions = await openAll(target, identities.slice(0, SESSIONS));
  await sleep(SETTLE_MS);
  return { sessions, kilobytes: (residentBytes(pid) - before) / SESSIONS / 1024 };
}
