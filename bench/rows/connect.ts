import { closeMqtt, type Identity, type MqttTarget, openMqtt } from "../load/mqtt-client.ts";
import { type Load, sustain } from "../measure.ts";
import type { Figure } from "../report.ts";

const WORKERS = 24;
const ROUNDS = 3;
const SECONDS = 2;

/** A broker under load: its process, its address, and devices it knows. */
export interface BrokerUnderLoad {
  readonly pid: number;
  readonly target: MqttTarget;
  readonly identities: readonly Identity[];
}

/** Connect over mutual TLS (full handshake), CONNECT, CONNACK, DISCONNECT; repeated. */
export async function connects(muster: BrokerUnderLoad, mosquitto: BrokerUnderLoad | undefined): Promise<Figure[]> {
  const [ours, theirs] = await inTurns(muster, mosquitto);
  const compared = (of: (load: Load) => number) =>
    theirs === undefined ? {} : { peer: { name: "Mosquitto", value: of(theirs) } };
  const rate = (load: Load) => load.count / load.seconds;
  const cpu = (load: Load) => load.cpuMs / load.count;
  return [
    { name: "mTLS connects", value: rate(ours), unit: "/s", ...compared(rate) },
    {
      name: "server CPU an mTLS connect",
      value: cpu(ours),
      unit: "ms",
      ...compared(cpu),
      target: { of: "ratio", atMost: 1.25 },
    },
  ];
}

/** Measures both in short turns, so that other work on the machine affects both. */
async function inTurns(muster: BrokerUnderLoad, peer: BrokerUnderLoad | undefined): Promise<[Load, Load | undefined]> {
  let [ours, theirs]: [Load, Load | undefined] = [NOTHING, peer && NOTHING];
  for (let round = 0; round < ROUNDS; round++) {
    ours = sum(ours, await connectLoad(muster));
    if (peer !== undefined) theirs = sum(theirs ?? NOTHING, await connectLoad(peer));
  }
  return [ours, theirs];
}

const NOTHING: Load = { count: 0, seconds: 0, cpuMs: 0 };

function sum(a: Load, b: Load): Load {
  return { count: a.count + b.count, seconds: a.seconds + b.seconds, cpuMs: a.cpuMs + b.cpuMs };
}

async function connectLoad({ pid, target, identities }: BrokerUnderLoad): Promise<Load> {
  const share = Math.floor(identities.length / WORKERS);
  const turns = new Array<number>(WORKERS).fill(0);
  const once = async (worker: number): Promise<boolean> => {
    const identity = identities[worker * share + (turns[worker]!++ % share)]!;
    await closeMqtt(await openMqtt(target, identity));
    return true;
  };
  await sustain(pid, { workers: WORKERS, seconds: 0.5 }, once);
  return await sustain(pid, { workers: WORKERS, seconds: SECONDS }, once);
}
