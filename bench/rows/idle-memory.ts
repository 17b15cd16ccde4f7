import type { TLSSocket } from "node:tls";
import { closeMqtt, type Identity, type MqttTarget, openAll } from "../load/mqtt-client.ts";
import { residentBytes, sleep } from "../measure.ts";
import type { Figure } from "../report.ts";
import type { BrokerUnderLoad } from "./connect.ts";

export const SESSIONS = 1000;
const A_FEW = 25;
const SETTLE_MS = 2000;

/** What a session is compared with; each its process, address and devices. */
export interface MemoryPeers {
  readonly mosquitto: BrokerUnderLoad | undefined;
  /** A socket of Node's TLS with a client certificate, and nothing else. */
  readonly bare: Omit<BrokerUnderLoad, "cpu">;
}

/**
 * Resident memory that 1,000 idle sessions add. The processes are fresh and have served as many connects before, a
 * few at a time, so that compiled code does not count; those of Node collect their garbage before both readings. Our sessions stay open for the row
 * that revokes them.
 */
export async function idleMemory(
  muster: BrokerUnderLoad,
  { mosquitto, bare }: MemoryPeers,
): Promise<{ figures: Figure[]; sessions: TLSSocket[] }> {
  const ours = await grown(muster, collectGarbage);
  const theirs = mosquitto && (await grown(mosquitto, () => undefined));
  const least = await grown(bare, collectGarbage);
  for (const socket of [...(theirs?.sessions ?? []), ...least.sessions]) await closeMqtt(socket);
  const compared = (name: string, peer: string, value: number): Figure => ({
    name,
    value: ours.kilobytes,
    unit: "KiB",
    peer: { name: peer, value },
  });
  const toSocket = compared("memory an idle mTLS session, to a bare socket", "Node TLS", least.kilobytes);
  const figures: Figure[] = [{ ...toSocket, target: { of: "ratio", atMost: 1.2 } }];
  if (theirs) figures.unshift(compared("memory an idle mTLS session", "Mosquitto", theirs.kilobytes));
  return { figures, sessions: ours.sessions };
}

/** Of a process that was started with `collectingOnSignal`. */
function collectGarbage(pid: number): void {
  process.kill(pid, "SIGUSR2");
}

async function connectAndLeave(target: MqttTarget, identities: readonly Identity[]): Promise<void> {
  for (let at = 0; at < identities.length; at += A_FEW) {
    const sockets = await openAll(target, identities.slice(at, at + A_FEW));
    await Promise.all(sockets.map(closeMqtt));
  }
}

async function grown({ pid, target, identities }: Omit<BrokerUnderLoad, "cpu">, collect: (pid: number) => void) {
  await connectAndLeave(target, identities.slice(0, SESSIONS));
  const settled = async (): Promise<number> => {
    await sleep(SETTLE_MS);
    collect(pid);
    await sleep(SETTLE_MS);
    return residentBytes(pid);
  };
  const before = await settled();
  const sessions = await openAll(target, identities.slice(0, SESSIONS));
  return { sessions, kilobytes: ((await settled()) - before) / SESSIONS / 1024 };
}
