import pg from "pg";
import { percentile, until } from "../../load/measure.ts";
import { closeAll, type Identity, openAll } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { publishPaced } from "../../load/paced-publisher.ts";
import { atMost, type Figure, figure, note } from "../report.ts";

const DEVICES = 997;
/** The server loads the devices' rules and compiles its hot functions in this time. */
const WARM_UP_SECONDS = 5;
const SECONDS = 15;
/** One message in `ONE_IN` breaks a rule; the device's next message breaks none. */
const ONE_IN = 500;
/** Values from here on break every rule; the difference is the index of the breach. */
const FIRST_BREACH = 1000;

/**
 * The time from sending a reading that breaks a rule until another connection reads its anomaly, while devices publish
 * `perSecond` messages at a fixed rate.
 */
export async function anomalyDelay(
  { mqtt }: MusterProcess,
  databaseUrl: string,
  identities: readonly Identity[],
  perSecond: number,
): Promise<Figure[]> {
  const sessions = await openAll(mqtt, identities.slice(0, DEVICES));
  await publishPaced(sessions, { perSecond, until: WARM_UP_SECONDS });
  const watcher = await watchAnomalies(databaseUrl);
  const breaches: number[] = [];
  const special = (count: number) => {
    if (count % ONE_IN > 0) return undefined;
    const value = FIRST_BREACH + breaches.push(performance.now()) - 1;
    return `{"temperature":21.5,"pressure":4.25,"vibration":${value}}`;
  };
  const delays = await publishPaced(sessions, { perSecond, until: SECONDS, special });
  const { seen } = watcher;
  await until("an anomaly for every breach", 60, () => seen.size >= breaches.length || undefined);
  await watcher.stop();
  await closeAll(sessions);
  const found = breaches.map((sent, index) => seen.get(FIRST_BREACH + index)! - sent);
  const rate = Math.round(delays.length / SECONDS).toLocaleString("en-US");
  const text = `${found.length} anomalies at ${rate} messages/s; p50 ${percentile(found, 0.5).toFixed(0)} ms`;
  return [figure("publish to anomaly, p99", percentile(found, 0.99), "ms", atMost(100), note(text))];
}

/** Records the value of every new anomaly with the time of its first reading; reads after each NOTIFY of an event. */
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
    const statement = "SELECT value FROM anomalies WHERE opened_at >= $1";
    const { rows } = await client.query<{ value: number }>(statement, [since]);
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
