import { type Load, type Meter, sustain, total } from "../../load/measure.ts";
import { closeMqtt, type Identity, type MqttTarget, openMqtt } from "../../load/mqtt-client.ts";
import { beside, bothMs, divided, type Figure, figure, rate, serverMs, timesAtMost } from "../report.ts";

const WORKERS = 24;
const ROUNDS = 3;
const SECONDS = 2;

/** A broker under load: its process, its address, and devices that it knows. */
export interface BrokerUnderLoad {
  readonly pid: number;
  readonly meter: Meter;
  readonly target: MqttTarget;
  readonly identities: readonly Identity[];
}

/** Full TLS handshake with a client certificate, CONNECT, CONNACK, DISCONNECT; repeated. */
export async function connects(muster: BrokerUnderLoad, mosquitto: BrokerUnderLoad | undefined): Promise<Figure[]> {
  const brokers = mosquitto === undefined ? [muster] : [muster, mosquitto];
  const loads: Load[][] = brokers.map(() => []);
  // In short turns, so that other work affects both. In the first one every device connects for the first time.
  for (let round = -1; round < ROUNDS; round++)
    for (const [index, broker] of brokers.entries()) {
      const load = await connectLoad(broker);
      if (round >= 0) loads[index]!.push(load);
    }
  const ours = total(loads[0]!);
  const theirs = loads[1] && total(loads[1]);
  const peer = (of: (load: Load) => number) => beside("Mosquitto", theirs && of(theirs));
  const both = "CPU an mTLS connect, server and database";
  return [
    figure("mTLS connects", rate(ours), "/s", peer(rate)),
    figure("server CPU an mTLS connect", serverMs(ours), "ms", peer(serverMs), timesAtMost(1.25)),
    figure(both, bothMs(ours), "ms", divided(ours, "ms"), peer(bothMs), timesAtMost(1)),
  ];
}

async function connectLoad({ meter, target, identities }: BrokerUnderLoad): Promise<Load> {
  const share = Math.floor(identities.length / WORKERS);
  const turns = new Array<number>(WORKERS).fill(0);
  const once = async (worker: number): Promise<boolean> => {
    const identity = identities[worker * share + (turns[worker]!++ % share)]!;
    await closeMqtt(await openMqtt(target, identity));
    return true;
  };
  await sustain(meter, { workers: WORKERS, seconds: 0.5 }, once);
  return await sustain(meter, { workers: WORKERS, seconds: SECONDS }, once);
}
