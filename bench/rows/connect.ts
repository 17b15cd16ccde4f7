import { closeMqtt, type Identity, type MqttTarget, openMqtt } from "../load/mqtt-client.ts";
import { type Load, sustain } from "../measure.ts";
import type { Figure } from "../report.ts";

const LANES = 24;
const SECONDS = 5;

/** A broker under load: its process, its address, and devices it knows. */
export interface BrokerUnderLoad {
  readonly pid: number;
  readonly target: MqttTarget;
  readonly identities: readonly Identity[];
}

/** Connect over mutual TLS (full handshake), CONNECT, CONNACK, DISCONNECT; again and again. */
export async function connects(muster: BrokerUnderLoad, mosquitto: BrokerUnderLoad | undefined): Promise<Figure[]> {
  const ours = await connectLoad(muster);
  const theirs = mosquitto && (await connectLoad(mosquitto));
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

async function connectLoad({ pid, target, identities }: BrokerUnderLoad): Promise<Load> {
  const share = Math.floor(identities.length / LANES);
  const turns = new Array<number>(LANES).fill(0);
  const once = async (lane: number): Promise<boolean> => {
    const identity = identities[lane * share + (turns[lane]!++ % share)]!;
    await closeMqtt(await openMqtt(target, identity));
    return true;
  };
  await sustain(pid, { lanes: LANES, seconds: 1 }, once);
  return await sustain(pid, { lanes: LANES, seconds: SECONDS }, once);
}
