import type { Caller } from "../../src/access/access.ts";
import type { Database } from "../../src/db/database.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { testFeatures } from "./features.ts";

interface Where {
  database: Database;
  clock: Clock;
}

/** The timestamp of the last value sent, per clock: readings with the same timestamp would be one reading. */
const sentAt = new WeakMap<Clock, number>();

/**
 * Sends values from a device, one message each, to a process that has just started. It stores and evaluates them as
 * usual.
 */
export async function sendValues(
  { database, clock }: Where,
  caller: Caller,
  deviceId: string,
  ...messages: Record<string, unknown>[]
): Promise<void> {
  const timed = messages.map((values) => {
    const ts = Math.max(clock.now().getTime(), (sentAt.get(clock) ?? 0) + 1);
    sentAt.set(clock, ts);
    return { ts, values };
  });
  await sendPayloads({ database, clock }, caller, deviceId, timed);
}

/** Sends payloads from a device, as {@link sendValues} does. */
export async function sendPayloads(
  { database, clock }: Where,
  caller: Caller,
  deviceId: string,
  payloads: readonly unknown[],
): Promise<void> {
  const { tenantId } = caller;
  const { telemetry } = testFeatures({ database: { ...database, listen: async () => async () => undefined }, clock });
  const deviceUid = await uidOf(database, caller, deviceId);
  const from = { tenantId, deviceUid, deviceId, topic: `telemetry/${deviceId}` };
  const sent = payloads.map((payload) => telemetry.ingest({ ...from, payload: Buffer.from(JSON.stringify(payload)) }));
  await Promise.all(sent);
}

/** Assigns threshold packs to a device in addition to those it already has. */
export async function assignPacks(
  { database }: Where,
  caller: Caller,
  deviceId: string,
  ...thresholdIds: string[]
): Promise<void> {
  const assigned = { tenant_id: caller.tenantId, device_uid: await uidOf(database, caller, deviceId) };
  const rows = thresholdIds.map((threshold_id) => ({ ...assigned, threshold_id }));
  await database.db.insertInto("device_thresholds").values(rows).execute();
}

async function uidOf({ db }: Database, { tenantId }: Caller, deviceId: string): Promise<string> {
  const devices = db.selectFrom("devices").select("uid").where("tenant_id", "=", tenantId).where("id", "=", deviceId);
  return (await devices.where("deleted_at", "is", null).executeTakeFirstOrThrow()).uid;
}

/**
 * Creates a threshold pack with the limit 90 and makes a device break it with `value`.
 * @returns the id of the open anomaly
 */
export async function addAnomaly(where: Where, caller: Caller, deviceId: string, value = 91): Promise<string> {
  const { id: thresholdId } = await testFeatures(where).rules.createThreshold(caller, {
    name: "Bearings",
    rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }],
  });
  await assignPacks(where, caller, deviceId, thresholdId);
  await sendValues(where, caller, deviceId, { temperature: value });
  const anomaly = where.database.db.selectFrom("anomalies").select("id").where("threshold_id", "=", thresholdId);
  return (await anomaly.executeTakeFirstOrThrow()).id;
}
