import pg from "pg";
import { closeMqtt, openAll } from "../load/mqtt-client.ts";
import { FIRST_BREACH, publishPaced } from "../load/paced-publisher.ts";
import { percentile, until } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";
import type { Redemptions } from "./redemption.ts";

const DEVICES = 997;
/** As long as the server takes to load what watches the devices, and to compile itself. */
const WARM_UP_SECONDS = 5;
const SECONDS = 15;
/** One message in so many breaks a rule. */
const ONE_IN = 500;

/**
 * From sending a reading that breaks a rule to its anomaly being there for another connection, while devices publish
 * `perSecond` messages whatever the server does.
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
      target: { of: "value", atMost: 500 },
      note: `${delays.length} anomalies at ${rate} messages/s; p50 ${percentile(delays, 0.5).toFixed(0)} ms`,
    },
  ];
}

/** Every new anomaly's value and when it was seen, looked for whenever the database says that something happened. */
async function watchAnomalies(
  databaseUrl: string,
): Promise<{ seen: ReadonlyMap<number, number>; stop(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  const seen = new Map<number, number>();
  const since = new Date();
  let looking: Promise<void> = Promise.resolve();
  let due = false;
  const look = async (): Promise<void> => {
    due = false;
    const { rows } = await client.query<{ value: number }>("SELECT value FROM anomalies WHERE opened_at >= $1", [
      since,
    ]);
    for (const { value } of rows) if (!seen.has(value)) seen.set(value, performance.now());
  };
  client.on("notification", () => {
    if (due) return;
    due = true;
    looking = looking.then(look);
  });
  await client.query("LISTEN muster_events");
  return {
    seen,
    async stop() {
      await looking;
      await client.end();
    },
  };
}
