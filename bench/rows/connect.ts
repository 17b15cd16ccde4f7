import { closeMqtt, type Identity, type MqttTarget, openMqtt } from "../load/mqtt-client.ts";
import { type Load, type Meter, NO_LOAD, sustain, total } from "../measure.ts";
import { cpuFigure, type Figure } from "../report.ts";

const WORKERS = 24;
const ROUNDS = 3;
const SECONDS = 2;

/** A broker under load: its process, its address, and devices it knows. */
export interface BrokerUnderLoad {
  readonly pid: number;
  readonly cpu: Meter;
  readonly target: MqttTarget;
  readonly identities: readonly Identity[];
}

/** Connect over mutual TLS (full handshake), CONNECT, CONNACK, DISCONNECT; repeated. */
export async function connects(muster: BrokerUnderLoad, mosquitto: BrokerUnderLoad | undefined): Promise<Figure[]> {
  const [ours, theirs] = await inTurns(muster, mosquitto);
  const compared = (of: (load: Load) => number) =>
    theirs === undefined ? {} : { peer: { name: "Mosquitto", value: of(theirs) } };
  const rate = (load: Load) => load.count / load.seconds;
  const cpu = (load: Load) => load.serverMs / load.count;
  return [
    { name: "mTLS connects", value: rate(ours), unit: "/s", ...compared(rate) },
    {
      name: "server CPU an mTLS connect",
      value: cpu(ours),
      unit: "ms",
      ...compared(cpu),
      target: { of: "ratio", atMost: 1.25 },
    },
    {
      ...cpuFigure("CPU an mTLS connect, server and database", ours, "ms"),
      ...compared((load) => (load.serverMs + load.databaseMs) / load.count),
      target: { of: "ratio", atMost: 1 },
    },
  ];
}

/** Measures both in short turns, so that other work on the machine affects both; after one turn each, in which every device connects for the first time. */
async function inTurns(muster: BrokerUnderLoad, peer: BrokerUnderLoad | undefined): Promise<[Load, Load | undefined]> {
  await connectLoad(muster);
  if (peer !== undefined) await connectLoad(peer);
  let [ours, theirs]: [Load, Load | undefined] = [NO_LOAD, peer && NO_LOAD];
  for (let round = 0; round < ROUNDS; round++) {
    ours = total([ours, await connectLoad(muster)]);
    if (peer !== undefined) theirs = total([theirs ?? NO_LOAD, await connectLoad(peer)]);
  }
  return [ours, theirs];
}

async function connectLoad({ cpu, target, identities }: BrokerUnderLoad): Promise<Load> {
  const share = Math.floor(identities.length / WORKERS);
  const turns = new Array<number>(WORKERS).fill(0);
  const once = async (worker: number): Promise<boolean> => {
    const identity = identities[worker * share + (turns[worker]!++ % share)]!;
    await closeMqtt(await openMqtt(target, identity));
    return true;
  };
  await sustain(cpu, { workers: WORKERS, seconds: 0.5 }, once);
  return await sustain(cpu, { workers: WORKERS, seconds: SECONDS }, once);
}
