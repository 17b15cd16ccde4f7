import { sleep } from "../../load/measure.ts";
import { closeAll, openAll } from "../../load/mqtt-client.ts";
import { residentBytes } from "../../load/processes.ts";
import { startBareBroker } from "../peers/bare-servers.ts";
import { beside, type Figure, figure, timesAtMost } from "../report.ts";
import type { BrokerUnderLoad } from "./connect.ts";

const A_FEW = 25;
const PAUSE_MS = 2000;

type Broker = Omit<BrokerUnderLoad, "meter">;

/**
 * Resident memory that idle sessions add, beside Mosquitto and beside a bare TLS socket of Node. The processes are
 * fresh and have served as many connects before, so that compiled code does not count.
 */
export async function idleMemory(muster: Broker, mosquitto: Broker | undefined): Promise<Figure[]> {
  const ours = await kilobytesASession(muster, collectGarbage);
  const theirs = mosquitto && (await kilobytesASession(mosquitto, () => undefined));
  const bare = await startBareBroker();
  const identities = await bare.newIdentities(muster.identities.length);
  const least = await kilobytesASession({ ...bare, identities }, collectGarbage).finally(bare.stop);
  const name = "memory an idle mTLS session";
  return [
    ...(theirs === undefined ? [] : [figure(name, ours, "KiB", beside("Mosquitto", theirs))]),
    figure(`${name}, to a bare socket`, ours, "KiB", beside("Node TLS", least), timesAtMost(1.2)),
  ];
}

/** Makes a process that was started with `collectingOnSignal` collect its garbage. */
function collectGarbage(pid: number): void {
  process.kill(pid, "SIGUSR2");
}

async function kilobytesASession({ pid, target, identities }: Broker, collect: (pid: number) => void): Promise<number> {
  for (let at = 0; at < identities.length; at += A_FEW)
    await closeAll(await openAll(target, identities.slice(at, at + A_FEW)));
  const idleMemory = async (): Promise<number> => {
    await sleep(PAUSE_MS);
    collect(pid);
    await sleep(PAUSE_MS);
    return residentBytes(pid);
  };
  const before = await idleMemory();
  const sessions = await openAll(target, identities);
  const after = await idleMemory();
  await closeAll(sessions);
  return (after - before) / identities.length / 1024;
}
