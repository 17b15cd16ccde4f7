import { QUIET } from "../load/rules.ts";
import { cpuMs } from "../measure.ts";

const SECONDS = 4;
const DEVICES = 1000;

/** One connection to a database: a statement, its parameters. */
export type Run = (statement: string, parameters: unknown[]) => Promise<unknown>;

/**
 * Ingest without any optimization: a statement and a commit for each reading and each latest value, and a query for the rules
 * of each message. No broker is in front of it, which favours it.
 *
 * @param connections each is used by one loop
 * @param databaseCpuMs CPU time of the database's own processes
 */
export async function naiveIngest(
  connections: readonly Run[],
  databaseCpuMs: () => number,
): Promise<{ perSecond: number; cpuUs: number }> {
  for (const statement of SCHEMA) await connections[0]!(statement, []);
  const cpu = () => cpuMs(process.pid) + databaseCpuMs();
  const [cpuBefore, started] = [cpu(), performance.now()];
  let count = 0;
  const loop = async (run: Run, number: number): Promise<void> => {
    for (let turn = 0; performance.now() - started < SECONDS * 1000; turn++) {
      await store(run, `device-${(turn * connections.length + number) % DEVICES}`, turn);
      count++;
    }
  };
  await Promise.all(connections.map(loop));
  return { perSecond: (count * 1000) / (performance.now() - started), cpuUs: ((cpu() - cpuBefore) * 1000) / count };
}

const SCHEMA = [
  "CREATE TABLE naive_readings (device_id text, metric text, ts timestamptz, number float8, PRIMARY KEY (device_id, metric, ts))",
  "CREATE TABLE naive_latest (device_id text, metric text, ts timestamptz, number float8, PRIMARY KEY (device_id, metric))",
  "CREATE TABLE naive_rules (device_id text, metric text, highest float8)",
  `INSERT INTO naive_rules SELECT 'device-' || d, 'vibration', 10 + r FROM generate_series(0, ${DEVICES - 1}) d, generate_series(1, 5) r`,
  "CREATE INDEX ON naive_rules (device_id)",
];

async function store(run: Run, deviceId: string, turn: number): Promise<void> {
  const values = JSON.parse(QUIET) as Record<string, number>;
  const at = new Date(Date.now() + turn);
  await run("SELECT metric, highest FROM naive_rules WHERE device_id = $1", [deviceId]);
  for (const [metric, value] of Object.entries(values)) {
    await run("INSERT INTO naive_readings VALUES ($1, $2, $3, $4)", [deviceId, metric, at, value]);
    await run(
      `INSERT INTO naive_latest VALUES ($1, $2, $3, $4)
       ON CONFLICT (device_id, metric) DO UPDATE SET ts = excluded.ts, number = excluded.number`,
      [deviceId, metric, at, value],
    );
  }
}
