import pg from "pg";
import { openDatabase } from "../../server/src/db/database.ts";
import type { Features } from "../../server/src/features.ts";
import { addMs, HOUR, MINUTE, SECOND, systemClock } from "../../server/src/lib/clock.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { benchFeatures } from "../load/features.ts";
import type { Figure } from "../report.ts";
import { progress, setting } from "../run.ts";

const DEVICES = setting("devices", 1_000_000);
const ACTIVE = 1_000;
const MINUTES = 5;
const TYPE = { name: "Pump", publishTopics: ["telemetry/{deviceId}"], silentForSeconds: 600 };
const AT_MOST_MS = 1_000;

/** A job, how often it runs in a minute, and what it costs the database each time. Of roll-ups the minute counts in which the hours are due. */
interface Job {
  readonly name: string;
  readonly timesAMinute: number;
  run(): Promise<unknown>;
}

/**
 * What the periodic jobs cost the database a minute with a million devices of which a thousand send a message a minute; the others have been silent for two
 * days, each with an anomaly. In one of the minutes an hour of each of the thousand, of 60 messages, is rolled up.
 */
export async function millionJobs(url: string, databaseMs: () => number): Promise<Figure[]> {
  let passedMs = 0;
  const clock = { ...systemClock, now: () => addMs(systemClock.now(), passedMs) };
  const database = await openDatabase({ url, dataDir: "none", logger: createLogger("silent") });
  try {
    const { features } = await benchFeatures(database, clock);
    await features.connections.startNode();
    const { send, sendHour } = await fillFleet(features, url);
    const jobs = jobsOf(features, () => {
      passedMs += 10 * SECOND;
    });
    const used = jobs.map(() => 0);
    // Due two minutes later.
    await sendHour(Math.floor(clock.now().getTime() / HOUR - 1) * HOUR);
    // The first minute loads what a process has in memory.
    for (let minute = -1; minute < MINUTES; minute++) {
      progress(`minute ${minute + 1} of ${MINUTES}`);
      await send();
      for (const [at, { run }] of jobs.entries()) {
        const before = databaseMs();
        await run();
        if (minute >= 0) used[at]! += databaseMs() - before;
      }
    }
    return jobs.map(({ name, timesAMinute }, at) => ({
      name: `${name} with ${DEVICES.toLocaleString("en")} devices, database CPU a minute`,
      value: (used[at]! / MINUTES) * timesAMinute,
      unit: "ms",
      target: { of: "value", atMost: AT_MOST_MS },
    }));
  } finally {
    await database.close();
  }
}

/** @param pass lets ten seconds pass */
function jobsOf(
  { rules, telemetry, connections, events, commands, notifications, audit }: Features,
  pass: () => void,
): Job[] {
  const never = new AbortController().signal;
  return [
    {
      name: "silence, six polls",
      timesAMinute: 1,
      run: async () => {
        for (let poll = 0; poll < 6; poll++) {
          pass();
          await rules.pollSilence();
        }
      },
    },
    { name: "lost renewals", timesAMinute: 1 / 5, run: () => rules.pollLostRenewals() },
    {
      name: `roll-ups in the minute in which ${ACTIVE.toLocaleString("en")} hours are due`,
      timesAMinute: MINUTES,
      run: () => telemetry.rollUp(),
    },
    { name: "telemetry of deleted devices", timesAMinute: 1, run: () => telemetry.deleteTelemetry() },
    {
      name: "retention of telemetry",
      timesAMinute: 1 / 60,
      run: async () => {
        await telemetry.maintainPartitions();
        await telemetry.retireMessages();
      },
    },
    {
      name: "retention of everything else",
      timesAMinute: 1 / 10,
      run: async () => {
        await events.prune(never);
        await connections.prune(never);
        await commands.prune(never);
        await audit.prune(never);
        await notifications.prune();
      },
    },
  ];
}

/** What has each device that is active send. */
interface Senders {
  /** A message. */
  send(): Promise<void>;
  /** 60 messages of the hour that begins then, milliseconds since 1970. */
  sendHour(hour: number): Promise<void>;
}

async function fillFleet({ access, devices, telemetry }: Features, url: string): Promise<Senders> {
  await access.createTenant({ slug: "million", name: "Million" });
  const { tenantId, ...caller } = await access.systemCaller("million");
  const type = await devices.createDeviceType({ tenantId, ...caller }, TYPE);
  progress(`filling a tenant with ${DEVICES} devices`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // As a restored dump does: no trigger runs.
    await client.query("SET session_replication_role = replica; SET synchronous_commit = off");
    for (const statement of FILLING)
      await client.query(statement, [tenantId, type.id, DEVICES, ACTIVE].slice(0, parametersOf(statement)));
    await client.query("VACUUM ANALYZE");
    const { rows } = await client.query("SELECT uid, id FROM devices ORDER BY substr(id, 6)::int LIMIT $1", [ACTIVE]);
    let sent = 0;
    const sendAll = async (content: unknown) => {
      const payload = Buffer.from(JSON.stringify(content));
      const message = ({ uid, id }: { uid: string; id: string }) =>
        telemetry.ingest({ tenantId, deviceUid: uid, deviceId: id, topic: `t/million/telemetry/${id}`, payload });
      await Promise.all(rows.map(message));
    };
    const temperature = () => ({ temperature: 20 + (sent++ % 10) });
    return {
      send: () => sendAll(temperature()),
      sendHour: (hour) =>
        sendAll(Array.from({ length: 60 }, (_, minute) => ({ ts: hour + minute * MINUTE, values: temperature() }))),
    };
  } finally {
    await client.end();
  }
}

function parametersOf(statement: string): number {
  return Math.max(0, ...[...statement.matchAll(/\$(\d)/g)].map(([, number]) => Number(number)));
}

const FILLING = [
  `CREATE TEMP TABLE fleet AS SELECT n, gen_random_uuid() AS uid, $1::uuid AS t, $2::uuid AS type, n <= $4::int AS active,
     CASE WHEN n <= $4::int THEN now() ELSE now() - interval '2 days' END AS seen FROM generate_series(1, $3::int) n`,
  `INSERT INTO devices (uid, tenant_id, id, name, device_type_id, connectivity, connectivity_since, last_seen_at, created_at, updated_at)
   SELECT uid, t, 'pump-' || n, 'Pump ' || n, type, CASE WHEN active THEN 'online' ELSE 'offline' END, seen, seen, now() - interval '1 year', seen FROM fleet`,
  `INSERT INTO device_latest (device_uid, metrics, kinds, version, seen_at, ts, received_at, written, numbers)
   SELECT uid, '{temperature}', 'n', 1, seen, seen, seen, pg_current_xact_id(), '{20}' FROM fleet`,
  `INSERT INTO anomalies (id, tenant_id, device_uid, device_id, value, breached, severity, message, opened_at, last_observed_at, occurrences)
   SELECT gen_random_uuid(), t, uid, 'pump-' || n, '601', '600', 'major', 'silent', seen + interval '10 minutes', seen + interval '10 minutes', 1
     FROM fleet WHERE NOT active`,
  // Checked again after as long as the anomaly is old.
  `INSERT INTO silence_checks SELECT uid, CASE WHEN active THEN now() + random() * interval '10 minutes' ELSE now() + random() * interval '2 days' END FROM fleet`,
];
