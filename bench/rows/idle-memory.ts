import { sleep } from "../../load/measure.ts";
import { closeAll, openAll } from "../../load/mqtt-client.ts";
import { residentBytes } from "../../load/processes.ts";
import { beside, type Figure, figure, timesAtMost } from "../report.ts";
import type { BrokerUnderLoad, PeerUnderLoad } from "./connect.ts";

const A_FEW = 25;
const PAUSE_MS = 2000;
/** Processes that collect their garbage at SIGUSR2; those of Mosquitto and rumqttd make none. */
const COLLECTING = ["mochi", "Node TLS"];

/**
 * Resident memory that idle sessions add, beside the peers. The processes are fresh and have served as many connects
 * before, so that compiled code does not count.
 */
export async function idleMemory(muster: BrokerUnderLoad, peers: readonly PeerUnderLoad[]): Promise<Figure[]> {
  const ours = await kilobytesASession(muster, true);
  const figures: Figure[] = [];
  for (const peer of peers) {
    const theirs = await kilobytesASession(peer, COLLECTING.includes(peer.name));
    const target = peer.name === "Node TLS" ? timesAtMost(1.2) : {};
    figures.push(figure(`memory an idle mTLS session: ${peer.name}`, ours, "KiB", beside(peer.name, theirs), target));
  }
  return figures;
}

async function kilobytesASession({ pid, target, identities }: BrokerUnderLoad, collects: boolean): Promise<number> {
  for (let at = 0; at < identities.length; at += A_FEW)
    await closeAll(await openAll(target, identities.slice(at, at + A_FEW)));
  const idleMemory = async (): Promise<number> => {
    await sleep(PAUSE_MS);
    if (collects) process.kill(pid, "SIGUSR2");
    await sleep(PAUSE_MS);
    return residentBytes(pid);
  };
  const before = await idleMemory();
  const sessions = await openAll(target, identities);
  const after = await idleMemory();
  await closeAll(sessions);
  return (after - before) / identities.length / 1024;
}
