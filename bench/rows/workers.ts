import { type Load, type Meter, measured, sleep, startMeter, total } from "../../load/measure.ts";
import { closeAll, type Identity, type MqttTarget, openAll } from "../../load/mqtt-client.ts";
import { publishPaced } from "../../load/paced-publisher.ts";
import { familyCpuMs } from "../../load/processes.ts";
import { createTenant } from "../../load/tenant.ts";
import { beside, databaseMs, type Figure, figure, note, rate, serverMs, timesAtMost } from "../report.ts";
import { progress, setting } from "../run.ts";
import { onPostgres, type PostgresSite } from "../site.ts";

/** The numbers of serving processes, in turns. */
const WORKERS = [1, 2, 4] as const;
const ROUNDS = setting("rounds", 3);
/** A device may send 100 messages a second. */
const DEVICES = 400;
/** They keep one worker half busy: a service with less load needs no second one. */
const PER_SECOND = setting("rate", 9_000);
/** Per worker: V8 compiles in each process, so each takes as many messages before it is measured. */
const WARM_UP_SECONDS = 6;
const SECONDS = setting("seconds", 15);
const PAUSE_SECONDS = 2;
/** The time for which the service is measured with open sessions and no message. */
const IDLE_SECONDS = 5;

interface Measured {
  /** Messages with their CPU time. */
  readonly load: Load;
  /** CPU time a second of the service without any message, in milliseconds. */
  readonly idleMs: number;
}

/** CPU time a message with several workers, each number of them in turns on one database. */
export async function workers(): Promise<Figure[]> {
  return await onPostgres(async (site) => {
    const enroll = async (muster: Parameters<typeof createTenant>[0]) =>
      await (await createTenant(muster, "bench")).newDevices(DEVICES);
    const identities = await site.serve(enroll, { MUSTER_WORKERS: "1" });
    const ours = new Map<number, Measured[]>(WORKERS.map((count) => [count, []]));
    for (let round = 1; round <= ROUNDS; round++)
      for (const count of WORKERS) {
        progress(`${count} workers, round ${round} of ${ROUNDS}`);
        ours.get(count)!.push(await withWorkers(site, identities, count));
      }
    return figuresOf(ours);
  });
}

function withWorkers(site: PostgresSite, identities: readonly Identity[], count: number): Promise<Measured> {
  const settings = { MUSTER_WORKERS: String(count) };
  return site.serve(({ pid, mqtt }) => {
    const meter = () => ({ serverMs: familyCpuMs(pid), databaseMs: site.databaseMs() });
    return underFixedLoad(mqtt, meter, identities, count);
  }, settings);
}

async function underFixedLoad(
  target: MqttTarget,
  meter: Meter,
  identities: readonly Identity[],
  count: number,
): Promise<Measured> {
  const sessions = await openAll(target, identities);
  await sleep(PAUSE_SECONDS * 1000);
  const idle = startMeter(meter);
  await sleep(IDLE_SECONDS * 1000);
  const idleMs = idle().serverMs / IDLE_SECONDS;
  await publishPaced(sessions, { perSecond: PER_SECOND, until: WARM_UP_SECONDS * count });
  const load = await measured(meter, async () => {
    const delays = await publishPaced(sessions, { perSecond: PER_SECOND, until: SECONDS });
    if (!delays.every(Number.isFinite)) throw new Error("not every message was acknowledged");
    return delays.length;
  });
  await closeAll(sessions);
  return { load, idleMs };
}

function figuresOf(measured: ReadonlyMap<number, readonly Measured[]>): Figure[] {
  const one = loadOf(measured.get(1)!);
  return [...measured].flatMap(([count, rounds]) => {
    const all = loadOf(rounds);
    const idle = rounds.reduce((sum, { idleMs }) => sum + idleMs, 0) / rounds.length;
    const text = `${Math.round(rate(all))} messages/s; idle ${idle.toFixed(1)} ms of CPU a second, included`;
    const row = (what: string, of: (load: Load) => number) =>
      [
        `${what} CPU a message, ${count === 1 ? "1 worker" : `${count} workers`}`,
        of(all) * 1000,
        "µs",
        count === 1 ? {} : beside("1 worker", of(one) * 1000),
      ] as const;
    return [
      figure(...row("server", serverMs), note(text), count === 4 ? timesAtMost(1.1) : {}),
      figure(...row("database", databaseMs)),
    ];
  });
}

function loadOf(rounds: readonly Measured[]): Load {
  return total(rounds.map(({ load }) => load));
}
