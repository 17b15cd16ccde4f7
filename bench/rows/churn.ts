import { PublishingDevice } from "../load/churn/publishing-device.ts";
import { Twins } from "../load/churn/twins.ts";
import { Visitor } from "../load/churn/visitor.ts";
import type { Identity } from "../load/mqtt-client.ts";
import { sleep, until } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import { query } from "../peers/postgres.ts";
import { workerPid } from "../peers/worker-processes.ts";
import type { Figure } from "../report.ts";
import { progress, setting } from "../run.ts";

const DEVICES = 40;
const TWINS = 4;
const VISITORS = 10;
const DEVICES_A_VISITOR = 4;
export const CHURN_DEVICES = DEVICES + TWINS;
/** The worker that is killed; the others last, so that their memory shows whether it grows. */
const VICTIM = "serve-1";
const SURVIVORS = ["serve-2", "jobs"] as const;
/** What is published so soon before or after a kill may have been on its way to a subscriber of the killed worker. */
const AROUND_KILL_MS = 2_000;
const MINUTES = setting("minutes", 10);
const EVERY_SECONDS = setting("every", 20);

interface Clients {
  devices: PublishingDevice[];
  visitors: Visitor[];
  twins: Twins[];
}

/**
 * Clients connect, publish, subscribe with stored sessions and leave, while one of two workers is killed again and again. At the end every
 * acknowledged message must be stored once, and have arrived at the visitors, but for what a killed worker had on its way.
 */
export async function churn(
  muster: MusterProcess,
  databaseUrl: string,
  identities: readonly Identity[],
): Promise<Figure[]> {
  const clients = clientsOf(muster, identities);
  for (const each of clients.visitors) await each.subscribe();
  const all = [...clients.devices, ...clients.visitors, ...clients.twins];
  const running = Promise.all(all.map((each) => each.run()));
  const before = await heapsAfter(muster, Math.min(60, MINUTES * 15));
  const kills = await killAgainAndAgain(muster, clients, performance.now() + MINUTES * 60_000);
  const after = await heapsAfter(muster, Math.min(60, MINUTES * 15));
  for (const each of all) each.stop();
  await running;
  const delivered = await deliveries(clients, kills);
  return [...(await storedFigures(clients, databaseUrl)), ...delivered, ...heapFigures(before, after)];
}

function clientsOf(muster: MusterProcess, identities: readonly Identity[]): Clients {
  const devices = identities.slice(0, DEVICES).map((identity) => new PublishingDevice(muster.mqtt, identity));
  const twins = identities.slice(DEVICES, CHURN_DEVICES).map((identity) => new Twins(muster.mqtt, identity));
  const visitors = Array.from({ length: VISITORS }, (_, n) => {
    const first = (n * DEVICES_A_VISITOR) % DEVICES;
    const topics = identities.slice(first, first + DEVICES_A_VISITOR).map(({ topic }) => topic);
    const name = `visitor-${n}`;
    const filters = topics.flatMap((topic) => ["--subscribe", topic]);
    const about = ["--tenant", "bench", "--client-id", name, "--username", name];
    const { password } = muster.command("mqtt-client", "create", ...about, ...filters);
    return new Visitor(muster.mqtt, name, password, topics);
  });
  return { devices, visitors, twins };
}

/** @returns when, by `performance.now()` */
async function killAgainAndAgain(muster: MusterProcess, { devices }: Clients, endMs: number): Promise<number[]> {
  const kills: number[] = [];
  while (performance.now() + EVERY_SECONDS * 1_000 < endMs) {
    await sleep(EVERY_SECONDS * 1_000);
    const pid = await until("the killed worker again", 60, () => workerPid(muster.pid, VICTIM));
    process.kill(pid, "SIGKILL");
    kills.push(performance.now());
    const acknowledged = devices.reduce((sum, each) => sum + each.acknowledged.length, 0);
    progress(`kill ${kills.length}: ${acknowledged.toLocaleString("en-US")} messages acknowledged so far`);
  }
  await sleep(Math.max(0, endMs - performance.now()));
  return kills;
}

/** Compares what is acknowledged with what is stored. */
async function storedFigures({ devices, twins }: Clients, databaseUrl: string): Promise<Figure[]> {
  const rows = await query<{ id: string; number: number; times: string }>(
    databaseUrl,
    `SELECT d.id, t.number, count(*) AS times FROM shared_readings t JOIN devices d ON d.uid = t.device_uid
      WHERE t.metric = 'n' GROUP BY d.id, t.number`,
  );
  const stored = new Set(rows.map(({ id, number }) => `${id} ${number}`));
  const lost = devices.flatMap(({ identity, acknowledged }) =>
    acknowledged.filter(({ number }) => !stored.has(`${identity.deviceId} ${number}`)),
  ).length;
  const twice = rows.filter(({ times }) => Number(times) > 1).length;
  const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);
  const longest = Math.round(Math.max(...twins.map((each) => each.longestMs)));
  const rounds = sum(twins.map((each) => each.rounds)).toLocaleString("en-US");
  const connects = sum(devices.map((each) => each.connects)).toLocaleString("en-US");
  return [
    figure("churn: acknowledged messages", sum(devices.map((each) => each.acknowledged.length)), {
      note: `${connects} connects of ${DEVICES} devices`,
    }),
    figure("churn: acknowledged and not stored", lost, NONE),
    figure("churn: stored twice", twice, NONE),
    figure("churn: two sessions of one client id after 1 s", sum(twins.map((each) => each.duplicates)), {
      ...NONE,
      note: `${rounds} times four connects at once; more than one was open for ${longest} ms at most`,
    }),
  ];
}

const NONE = { target: { of: "value", atMost: 0 } } as const;

function figure(name: string, value: number, more: Partial<Figure> = {}): Figure {
  return { name, value, unit: "", ...more };
}

/** Every visitor connects once more and gets what waits; then what is missing is counted. */
async function deliveries({ devices, visitors }: Clients, kills: readonly number[]): Promise<Figure[]> {
  const missing = () =>
    visitors.flatMap(({ received }) =>
      devices
        .filter(({ identity }) => received.has(identity.topic))
        .flatMap(({ identity, acknowledged }) => {
          const numbers = new Set(received.get(identity.topic));
          return acknowledged.filter(({ number }) => !numbers.has(number));
        }),
    );
  const isExcused = ({ beganMs, endedMs }: { beganMs: number; endedMs: number }) =>
    kills.some((at) => endedMs > at - AROUND_KILL_MS && beganMs < at + AROUND_KILL_MS);
  const last = await Promise.all(visitors.map((each) => each.connect()));
  await until("what waits", 15, () => missing().every(isExcused) || undefined).catch(() => undefined);
  for (const client of last) client.end(true);
  const left = missing();
  const delivered = visitors
    .flatMap(({ received }) => [...received.values()])
    .reduce((sum, { length }) => sum + length, 0);
  const visits = visitors.reduce((sum, each) => sum + each.visits, 0).toLocaleString("en-US");
  return [
    figure("churn: delivered to stored sessions", delivered, { note: `${visits} visits of ${VISITORS} clients` }),
    figure("churn: acknowledged and not delivered", left.filter((each) => !isExcused(each)).length, NONE),
    figure("churn: on their way when a worker was killed", left.filter(isExcused).length, {
      note: `${kills.length} kills; within ${AROUND_KILL_MS / 1000} s of one`,
    }),
  ];
}

/** Least heap of each lasting process within some time, in MB: what is left after a collection. */
async function heapsAfter(muster: MusterProcess, seconds: number): Promise<Map<string, number>> {
  const least = new Map<string, number>();
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(1_000)) {
    const text = await (await fetch(muster.metricsUrl)).text();
    for (const name of SURVIVORS) {
      const found = new RegExp(`^nodejs_heap_size_used_bytes\\{worker="${name}"\\} (\\S+)`, "m").exec(text)?.[1];
      if (found) least.set(name, Math.min(least.get(name) ?? Infinity, Number(found) / 2 ** 20));
    }
  }
  return least;
}

function heapFigures(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Figure[] {
  return SURVIVORS.map((name) =>
    figure(`churn: least heap of ${name}`, after.get(name) ?? Number.NaN, {
      unit: "MB",
      peer: { name: "at the beginning", value: before.get(name) ?? Number.NaN },
    }),
  );
}
