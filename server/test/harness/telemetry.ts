import type { Caller } from "../../src/access/access.ts";
import type { Database } from "../../src/db/database.ts";
import { runRaw } from "../../src/db/database.ts";
import { randomIds } from "../../src/lib/ids.ts";
import type { Message, Telemetry } from "../../src/telemetry/telemetry.ts";
import { openTestDatabase } from "./database.ts";
import { FakeClock } from "./fake-clock.ts";
import { testFeatures } from "./features.ts";

/** Telemetry alone over a database of its own, with the rows it expects: the broker's side without a broker. */
export interface TelemetryBench {
  database: Database;
  telemetry: Telemetry;
  clock: FakeClock;
  /** The telemetry feature of a second process on the same database. */
  another(): Telemetry;
  tenant(): Promise<Caller>;
  device(caller: Caller, id?: string): Promise<TestSender>;
  query<Row = Record<string, unknown>>(statement: string, parameters?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** A device as the broker knows it once it is connected. */
export interface TestSender {
  uid: string;
  id: string;
  /** Hands in a message as the broker does; anything but bytes and text is sent as JSON. */
  publish(payload: unknown, by?: Telemetry): Promise<void>;
}

export async function openTelemetry(): Promise<TelemetryBench> {
  const database = await openTestDatabase();
  const clock = new FakeClock();
  const another = () => testFeatures({ database, clock }).telemetry;
  const telemetry = another();
  const query: TelemetryBench["query"] = (statement, parameters = []) => runRaw(database.db, statement, parameters);
  return {
    database,
    telemetry,
    clock,
    another,
    query,
    tenant: () => insertTenant(query, clock),
    device: (caller, id = randomIds.deviceId()) => insertDevice(query, clock, telemetry, caller, id),
    close: async () => {
      await database.close();
      await database.remove();
    },
  };
}

async function insertTenant(query: TelemetryBench["query"], clock: FakeClock): Promise<Caller> {
  const tenantId = randomIds.uuid(clock.now());
  const tenantSlug = `t${randomIds.deviceId()}`;
  await query("INSERT INTO tenants VALUES ($1, $2, 'A tenant', $3)", [tenantId, tenantSlug, clock.now()]);
  return { tenantId, tenantSlug, actor: "system", rights: { kind: "system" } };
}

async function insertDevice(
  query: TelemetryBench["query"],
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
  const publish = (payload: unknown, by = telemetry) =>
    by.ingest({ tenantId, deviceUid: uid, deviceId: id, topic: topicOf(tenantSlug, id), payload: bytesOf(payload) });
  return { uid, id, publish };
}

function topicOf(slug: string, id: string): Message["topic"] {
  return `t/${slug}/telemetry/${id}`;
}

function bytesOf(payload: unknown): Buffer {
  if (payload instanceof Buffer) return payload;
  return Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
}
