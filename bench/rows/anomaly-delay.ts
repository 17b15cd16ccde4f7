import pg from "pg";
import { closeMqtt, openAll } from "../load/mqtt-client.ts";
import { FIRST_BREACH, publishPaced } from "../load/paced-publisher.ts";
import { percentile, until } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";
import type { Redemptions } from "./enrollment/redemption.ts";

const DEVICES = 997;
/** The server loads the rules of the devices and compiles its hot functions in this time. */
const WARM_UP_SECONDS = 5;
const SECONDS = 15;
/** One message in `ONE_IN` breaks a rule. */
const ONE_IN = 500;

/**
 * From sending a reading that breaks a rule until another connection reads its anomaly, while devices publish `perSecond`
 * messages at a fixed rate.
 */
export async function anomalyDelay(
  muster: MusterProcess,
  databaseUrl: string,
  { identities }: Pick<Redemptions, "identities">,
  perSecond: number,
): Promise<Figure[]> {
  const devices = identities.slice(0, DEVICES);
  const sockets = await openAll(muster.mqtt, devices);
  const watcher = await watchAnomalies(databaseUrl);
  const sessions = sockets.map((socket, index) => ({ socket, topic: devices[index]!.topic }));
  const { count, breaches } = await publishPaced(sessions, {
    perSecond,
    oneIn: ONE_IN,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: SECONDS,
  });
  const { seen } = watcher;
  await until("an anomaly for every breach", 60, () => seen.size >= breaches.length || undefined);
  await watcher.stop();
  await Promise.all(sockets.map(closeMqtt));
  const delays = breaches.map((sent, index) => seen.get(FIRST_BREACH + index)! - sent);
  const rate = Math.round(count / (WARM_UP_SECONDS + SECONDS)).toLocaleString("en-US");
  return [
    {
      name: "publish to anomaly, p99",
      value: percentile(delays, 0.99),
      unit: "ms",
      target: { of: "value", atMost: 100 },
      note: `${delays.length} anomalies at ${rate} messages/s; p50 ${percentile(delays, 0.5).toFixed(0)} ms`,
    },
  ];
}

/** The value of every new anomaly and when it was first read; reads after each NOTIFY of an event. */
async function watchAnomalies(
  databaseUrl: string,
): Promise<{ seen: ReadonlyMap<number, number>; stop(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  const seen = new Map<number, number>();
  const since = new Date();
  let reading: Promise<void> = Promise.resolve();
  let due = false;
  const read = async (): Promise<void> => {
    due = false;
    const { rows } = await client.query<{ value: number }>("SELECT value FROM anomalies WHERE opened_at >= $1", [
      since,
    ]);
    for (const { value } of rows) if (!seen.has(value)) seen.set(value, performance.now());
  };
  client.on("notification", () => {
    if (due) return;
    due = true;
    reading = reading.then(read);
  });
  await client.query("LISTEN muster_events");
  return {
    seen,
    async stop() {
      await reading;
      await client.end();
    },
  };
}
