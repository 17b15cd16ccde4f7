import { closeMqtt, type Identity, type MqttTarget, openAll } from "../load/mqtt-client.ts";
import { publishPaced } from "../load/paced-publisher.ts";
import { type Load, type Meter, sleep, startMeter, total, until } from "../measure.ts";
import type { Figure } from "../report.ts";
import { setting } from "../run.ts";

/** How many processes serve, in turns. */
export const WORKERS = [1, 2, 4] as const;
export const ROUNDS = setting("rounds", 3);
/** A device may send 100 messages a second. */
export const DEVICES = 400;
/** They keep one worker half busy: a service with less to do needs no second one. */
const PER_SECOND = setting("rate", 9_000);
/** For each worker: V8 compiles for each process, so that each has taken as many messages before. */
const WARM_UP_SECONDS = 6;
const SECONDS = 15;
const SETTLE_SECONDS = 2;
/** How long the service is measured with open sessions and no message. */
const IDLE_SECONDS = 5;

export interface Measured {
  /** Messages with their CPU time. */
  readonly load: Load;
  /** CPU time a second of the service without any message, in milliseconds. */
  readonly idleMs: number;
}

/** A fixed load on a number of processes that share a port: their CPU, and that of the database, a message. */
export async function underFixedLoad(
  target: MqttTarget,
  meter: Meter,
  identities: readonly Identity[],
  workers: number,
): Promise<Measured> {
  const sockets = await openAll(target, identities);
  let octets = 0;
  for (const socket of sockets) {
    socket.on("data", (chunk: Buffer) => {
      octets += chunk.length;
    });
  }
  await sleep(SETTLE_SECONDS * 1000);
  const idle = startMeter(meter);
  await sleep(IDLE_SECONDS * 1000);
  const idleMs = idle().serverMs / IDLE_SECONDS;
  const targets = sockets.map((socket, index) => ({ socket, topic: identities[index]!.topic }));
  const paced = { perSecond: PER_SECOND, oneIn: Infinity, warmUpSeconds: 0 };
  const warm = await publishPaced(targets, { ...paced, seconds: WARM_UP_SECONDS * workers });
  // The broker sends nothing but PUBACK, which has four octets.
  const acknowledged = (count: number) => until("acknowledgements", 30, () => octets / 4 >= count || undefined);
  await acknowledged(warm.count);
  const [used, started] = [startMeter(meter), performance.now()];
  const { count } = await publishPaced(targets, { ...paced, seconds: SECONDS });
  await acknowledged(warm.count + count);
  const load = { count, seconds: (performance.now() - started) / 1000, ...used() };
  await Promise.all(sockets.map(closeMqtt));
  return { load, idleMs };
}

/** @param measured of each number of {@link WORKERS}, some rounds */
export function workerFigures(measured: ReadonlyMap<number, readonly Measured[]>): Figure[] {
  return [...measured].flatMap(([workers, rounds]) => {
    const name = workers === 1 ? "1 worker" : `${workers} workers`;
    const [one, all] = [loadOf(measured.get(1)!), loadOf(rounds)];
    const idle = rounds.reduce((sum, { idleMs }) => sum + idleMs, 0) / rounds.length;
    const note = `${Math.round(all.count / all.seconds).toLocaleString("en-US")} messages/s; idle ${idle.toFixed(1)} ms of CPU a second, included`;
    const compared = (of: (load: Load) => number) =>
      workers === 1 ? {} : { peer: { name: "1 worker", value: of(one) } };
    const target = workers === 4 ? { target: { of: "ratio", atMost: 1.1 } as const } : {};
    return [
      {
        name: `server CPU a message, ${name}`,
        value: serverUs(all),
        unit: "µs",
        ...compared(serverUs),
        ...target,
        note,
      },
      { name: `database CPU a message, ${name}`, value: databaseUs(all), unit: "µs", ...compared(databaseUs) },
    ];
  });
}

/**
 * The same load on bare servers: what a message costs more with several processes because it wakes them more often, whatever they do with it.
 *
 * @param measured of each number of {@link WORKERS}, some rounds
 */
export function bareFigures(measured: ReadonlyMap<number, readonly Measured[]>): Figure[] {
  const one = serverUs(loadOf(measured.get(1)!));
  return [...measured].map(([processes, rounds]) => ({
    name: `bare Node TLS, CPU a message, ${processes === 1 ? "1 process" : `${processes} processes`}`,
    value: serverUs(loadOf(rounds)),
    unit: "µs",
    ...(processes === 1 ? {} : { peer: { name: "1 process", value: one } }),
  }));
}

function loadOf(rounds: readonly Measured[]): Load {
  return total(rounds.map(({ load }) => load));
}

const serverUs = ({ count, serverMs }: Load) => (serverMs * 1000) / count;
const databaseUs = ({ count, databaseMs }: Load) => (databaseMs * 1000) / count;
