import { type Load, type Meter, sustain, total } from "../../load/measure.ts";
import { closeMqtt, type Identity, type MqttTarget, openMqtt } from "../../load/mqtt-client.ts";
import { atMost, beside, bothMs, divided, type Figure, figure, rate, serverMs, timesAtMost } from "../report.ts";

const WORKERS = 24;
const ROUNDS = 3;
const SECONDS = 2;
/** Every broker knows it, so that all handshakes cost the same. */
const CLASSICAL = "X25519";
/** Brokers that do not know it are left out. */
const HYBRID = "X25519MLKEM768";

/** A broker under load: its process, its address, and devices that it knows. */
export interface BrokerUnderLoad {
  readonly pid: number;
  readonly meter: Meter;
  readonly target: MqttTarget;
  readonly identities: readonly Identity[];
}

/** A broker beside ours. */
export type PeerUnderLoad = BrokerUnderLoad & { readonly name: string };

/** Full TLS handshake with a client certificate, CONNECT, CONNACK, DISCONNECT; repeated. */
export async function connects(muster: BrokerUnderLoad, peers: readonly PeerUnderLoad[]): Promise<Figure[]> {
  const [ours, ...theirs] = await connectLoads([muster, ...peers], CLASSICAL);
  const cost = "CPU an mTLS connect, server and database";
  const compared = peers.map(({ name }, index) =>
    figure(`${cost}: ${name}`, bothMs(ours!), "ms", beside(name, bothMs(theirs[index]!)), targetBeside(name)),
  );
  return [
    figure("mTLS connects", rate(ours!), "/s"),
    figure("server CPU an mTLS connect", serverMs(ours!), "ms"),
    ...(compared.length > 0 ? compared : [figure(cost, bothMs(ours!), "ms")]),
    ...(await hybridConnects(muster, peers)),
  ];
}

const targetBeside = (peer: string) => (peer === "Mosquitto" ? timesAtMost(0.8) : {});

/** The same with hybrid key exchange, beside the peers that know it. */
async function hybridConnects(muster: BrokerUnderLoad, peers: readonly PeerUnderLoad[]): Promise<Figure[]> {
  const known = await Promise.all(peers.map(knowsHybrid));
  const hybrid = peers.filter((_, index) => known[index]);
  const [ours, ...theirs] = await connectLoads([muster, ...hybrid], HYBRID);
  const name = "CPU a connect with X25519MLKEM768";
  return [
    figure(name, bothMs(ours!), "ms", divided(ours!, "ms"), atMost(1)),
    ...hybrid.map((peer, index) =>
      figure(`${name}: ${peer.name}`, bothMs(ours!), "ms", beside(peer.name, bothMs(theirs[index]!))),
    ),
  ];
}

async function knowsHybrid({ target, identities }: BrokerUnderLoad): Promise<boolean> {
  return await openMqtt({ ...target, ecdhCurve: HYBRID }, identities[0]!).then(
    (socket) => closeMqtt(socket).then(() => true),
    () => false,
  );
}

/** Loads each broker in short turns, so that other work affects all of them. The first turn is not counted. */
async function connectLoads(brokers: readonly BrokerUnderLoad[], ecdhCurve: string): Promise<Load[]> {
  const loads: Load[][] = brokers.map(() => []);
  for (let round = -1; round < ROUNDS; round++)
    for (const [index, broker] of brokers.entries()) {
      const load = await connectLoad(broker, ecdhCurve);
      if (round >= 0) loads[index]!.push(load);
    }
  return loads.map(total);
}

async function connectLoad({ meter, target, identities }: BrokerUnderLoad, ecdhCurve: string): Promise<Load> {
  const share = Math.floor(identities.length / WORKERS);
  const turns = new Array<number>(WORKERS).fill(0);
  const once = async (worker: number): Promise<boolean> => {
    const identity = identities[worker * share + (turns[worker]!++ % share)]!;
    await closeMqtt(await openMqtt({ ...target, ecdhCurve }, identity));
    return true;
  };
  await sustain(meter, { workers: WORKERS, seconds: 0.5 }, once);
  return await sustain(meter, { workers: WORKERS, seconds: SECONDS }, once);
}
