import assert from "node:assert/strict";
import type { Caller } from "../../src/access/access.ts";
import type { Database } from "../../src/db/database.ts";
import type { Features } from "../../src/features.ts";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { PARTITION_LOCKS } from "../../src/telemetry/batch/progress-store.ts";
import type { Message, Telemetry } from "../../src/telemetry/telemetry.ts";
import { openTestDatabase, secondDatabase } from "./database/database.ts";
import { runSql } from "./database/run-sql.ts";
import { eventually } from "./eventually.ts";
import { FakeClock } from "./fake-clock.ts";
import { type TestFeatureOptions, testFeatures } from "./features.ts";
import { startJetStream } from "./processes/nats-server.ts";
import { streamSettingsOf } from "./processes/nats-settings.ts";
import { storedBy } from "./stored-messages.ts";

/** The features of one process on its own database. Messages are passed in as the broker does, without a broker. */
export interface TelemetryFixture {
  database: Database;
  /** The address of the PostgreSQL database. */
  databaseUrl: string | undefined;
  features: Features;
  telemetry: Telemetry;
  /**
   * The same as `telemetry` where messages are stored before they are acknowledged. With the stream, its reads and jobs
   * do not wait for acknowledged messages to be stored.
   */
  atOnce: Telemetry;
  clock: FakeClock;
  /** Returns the telemetry feature of another process on the same database, without waiting reads. */
  anotherProcess(): Telemetry;
  /** Returns the telemetry feature of a process with a service's limits, which stores directly. */
  processWithDefaults(): Telemetry;
  tenant(): Promise<Caller>;
  device(caller: Caller, id?: string): Promise<TestSender>;
  /** Resolves when acknowledged messages are stored. */
  stored(): Promise<void>;
  query<Row = Record<string, unknown>>(statement: string, parameters?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** A device, as the broker knows it once it is connected. */
export interface TestSender {
  uid: string;
  id: string;
  /** Passes in a message as the broker does. Anything but bytes and text is sent as JSON. */
  publish(payload: unknown, by?: Telemetry): Promise<string | undefined>;
}

/**
 * Returns a time ten minutes after a full hour. Hours are rolled up when they have ended, so every test starts at the
 * same point of an hour.
 */
function earlyInAnHour(): Date {
  const begin = 10 * MINUTE;
  return new Date(Math.floor((Date.now() - begin) / HOUR) * HOUR + begin);
}

type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;
type TelemetrySettings = Pick<TestFeatureOptions, "limits" | "sliceBytes" | "stream">;

/** @param options of {@link openTestDatabase} and of the feature */
export async function openTelemetryFixture({
  patient,
  ...settings
}: { patient?: boolean } & TelemetrySettings = {}): Promise<TelemetryFixture> {
  return telemetryFixtureOn(await openTestDatabase({ patient }), settings);
}

/** A fixture whose processes share the ingest stream. */
export interface StreamedFixture extends TelemetryFixture {
  /** Reads without waiting. */
  queryAtOnce: TelemetryFixture["query"];
  /**
   * Keeps messages acknowledged during `work` in the stream, as if for an hour. Do not use reads that wait inside it.
   */
  whileInStream(work: () => Promise<void>): Promise<void>;
  /** Resolves when the stream has been stored up to a few seconds ago. */
  caughtUp(): Promise<void>;
}

/**
 * Opens a fixture of three processes that share the ingest stream. Each stores a part of what any of them receives.
 * Reads, and jobs that read, wait until all messages acknowledged before are stored.
 * @param options as of {@link openTelemetryFixture}
 */
export async function openStreamedFixture({
  patient,
  ...settings
}: { patient?: boolean } & Omit<TelemetrySettings, "stream"> = {}): Promise<StreamedFixture> {
  const [database, nats] = [await openTestDatabase({ patient }), await startJetStream()];
  const streamed = { ...settings, stream: streamSettingsOf(nats) };
  const first = telemetryFixtureOn(database, streamed);
  const { clock, telemetry } = first;
  const others = [await secondDatabase(database, { patient }), await secondDatabase(database, { patient })].map(
    (own) => ({ database: own, features: testFeatures({ ...streamed, database: own, clock }) }),
  );
  const processes = [first, ...others].map(({ features }) => features);
  for (const { telemetry } of processes) await telemetry.startStream();
  const stored = storedBy(processes);
  const later = <Read extends (...given: never[]) => Promise<unknown>>(read: Read): Read =>
    Object.assign((...given: Parameters<Read>) => stored().then(() => read(...given)), read) as unknown as Read;
  const caughtUp = async () => {
    assert.ok(await eventually(async () => (await telemetry.streamLag()) !== undefined));
  };
  await caughtUp();
  let turn = 0;
  return {
    ...first,
    telemetry: {
      ...telemetry,
      listLatest: later(telemetry.listLatest),
      listRejected: later(telemetry.listRejected),
      listReadings: later(telemetry.listReadings),
      readSeries: later(telemetry.readSeries),
      rollUp: later(telemetry.rollUp),
      deleteTelemetry: later(telemetry.deleteTelemetry),
    },
    stored,
    query: later(first.query),
    queryAtOnce: first.query,
    anotherProcess: () => others[turn++ % others.length]!.features.telemetry,
    whileInStream: async (work) => {
      await stored();
      const release = await takePartitions(database);
      await work().finally(release);
    },
    caughtUp,
    close: async () => {
      for (const { telemetry } of processes) await telemetry.stopStream();
      for (const other of others) await other.database.close();
      await first.close();
      await nats.stop();
    },
  };
}

/**
 * Takes all partitions, as a process would that stores nothing.
 * @returns a function that releases them
 */
async function takePartitions(database: Database): Promise<() => Promise<void>> {
  const change = (set: string) =>
    database.db.transaction().execute(async (tx) => {
      await runSql(tx, "SELECT pg_advisory_xact_lock($1, partition) FROM stream_partitions", [PARTITION_LOCKS]);
      await runSql(tx, `UPDATE stream_partitions SET epoch = epoch + 1, ${set}`);
    });
  await change(
    `owner_id = gen_random_uuid(), renewed_at = clock_timestamp() + interval '1 hour', caught_up_at = clock_timestamp() - interval '1 hour'`,
  );
  return () => change("owner_id = NULL, renewed_at = NULL");
}

/** @param database is closed and removed with the fixture */
export function telemetryFixtureOn(database: TestDatabase, settings: TelemetrySettings = {}): TelemetryFixture {
  const clock = new FakeClock(earlyInAnHour());
  const options = { ...settings, database, clock };
  const features = testFeatures(options);
  const { telemetry } = features;
  const query: TelemetryFixture["query"] = (statement, parameters = []) => runSql(database.db, statement, parameters);
  return {
    database,
    databaseUrl: database.url,
    features,
    telemetry,
    atOnce: telemetry,
    clock,
    anotherProcess: () => testFeatures(options).telemetry,
    processWithDefaults: () => testFeatures({ database, clock }).telemetry,
    stored: async () => {},
    query,
    tenant: () => newTenant(features),
    device: (caller, id = randomIds.deviceId()) => insertDevice(query, clock, telemetry, caller, id),
    close: async () => {
      await database.close();
      await database.remove();
    },
  };
}

async function newTenant({ access }: Features): Promise<Caller> {
  const slug = `t${randomIds.deviceId()}`;
  await access.createTenant({ slug, name: "A tenant" });
  return await access.systemCaller(slug);
}

/** Inserts the row directly, since a device that enrolls cannot choose its id. */
async function insertDevice(
  query: TelemetryFixture["query"],
  clock: FakeClock,
  telemetry: Telemetry,
  { tenantId, tenantSlug }: Caller,
  id: string,
): Promise<TestSender> {
  const uid = randomIds.uuid(clock.now());
  await query(
    "INSERT INTO devices (uid, tenant_id, id, name, created_at, updated_at) VALUES ($1, $2, $3, $3, $4, $4)",
    [uid, tenantId, id, clock.now()],
  );
  const publish = async (payload: unknown, by = telemetry) => {
    const message = { tenantId, deviceUid: uid, deviceId: id, topic: topicOf(tenantSlug, id) };
    const notStored = await by.ingest({ ...message, payload: bytesOf(payload) });
    return notStored?.storedValues === 0 ? notStored.reason : undefined;
  };
  return { uid, id, publish };
}

function topicOf(slug: string, id: string): Message["topic"] {
  return `t/${slug}/telemetry/${id}`;
}

function bytesOf(payload: unknown): Buffer {
  if (payload instanceof Buffer) return payload;
  return Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
}
