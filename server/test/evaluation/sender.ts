import { notify, runRaw } from "../../src/db/database.ts";
import type { NewRule, ThresholdPack } from "../../src/rules/rules.ts";
import type { Said } from "../../src/rules/test-support/reference-evaluator.ts";
import type { Telemetry } from "../../src/telemetry/telemetry.ts";
import { testFeatures } from "../harness/features.ts";
import { HOT, type World } from "../monitoring/world.ts";

/** A device that packs watch, and what it says, handed in as the broker does. */
export interface Sender {
  id: string;
  uid: string;
  /** One batch of messages. */
  send(messages: readonly unknown[], by?: Telemetry): Promise<void>;
  /** One message with a time of its own: milliseconds from now on the server's clock. */
  say(values: Record<string, unknown>, ms?: number, by?: Telemetry): Promise<void>;
  /** Its anomalies as the API lists them, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  anomalies(): Promise<any[]>;
  watch(packs: readonly ThresholdPack[], deviceTypeId?: string): Promise<void>;
}

export async function newSender(world: World, ...packs: ThresholdPack[]): Promise<Sender> {
  const { server, tenant, ask } = world;
  const { app, clock } = server;
  const { id, uid } = await world.newDevice(tenant);
  const from = {
    tenantId: tenant.caller.tenantId,
    deviceUid: uid,
    deviceId: id,
    topic: `t/${tenant.slug}/telemetry/${id}`,
  };
  const send: Sender["send"] = async (messages, by = app.telemetry) => {
    await Promise.all(messages.map((message) => by.ingest({ ...from, payload: Buffer.from(JSON.stringify(message)) })));
  };
  const sender: Sender = {
    id,
    uid,
    send,
    say: (values, ms = 0, by) => send([{ ts: clock.now().getTime() + ms, values }], by),
    anomalies: async () => (await ask("GET", `anomalies?deviceId=${id}&limit=200`)).json.items.reverse(),
    async watch(next, deviceTypeId) {
      const thresholdIds = next.map((pack) => pack.id);
      await app.devices.replaceDevice(tenant.caller, id, { name: "Pump", deviceTypeId, thresholdIds });
      await heard(world);
    },
  };
  if (packs.length > 0) await sender.watch(packs);
  return sender;
}

/** Has the service hear all that the database has told until now: what it is told comes in the order of the commits. */
async function heard({ server }: World): Promise<void> {
  const { database } = server.app;
  const { promise, resolve } = Promise.withResolvers<void>();
  const unlisten = await database.listen("muster_test_heard", () => resolve());
  await notify(database.db, "muster_test_heard", "");
  await promise;
  await unlisten();
}

/** The ingest of a further process on the same database, with an empty cache. */
export function freshTelemetry({ server }: World, database = server.app.database): Telemetry {
  return testFeatures({ database, clock: server.clock }).telemetry;
}

export async function packOf(world: World, ...rules: NewRule[]): Promise<ThresholdPack> {
  return await world.newPack(world.tenant, ...rules);
}

export async function storedStates({ server }: World, uid: string): Promise<string[]> {
  const rows = await runRaw<{ phase: string }>(
    server.app.database.db,
    "SELECT phase FROM rule_states WHERE device_uid = $1 ORDER BY phase",
    [uid],
  );
  return rows.map(({ phase }) => phase);
}

export async function storedReadings({ server }: World, uid: string): Promise<number> {
  const { db } = server.app.database;
  return (await runRaw(db, "SELECT FROM telemetry WHERE device_uid = $1", [uid])).length;
}

/** A message of the reference evaluator as a device sends it, its times counted from `base` (ms). */
export function payloadOf(message: readonly Said[], base: number): unknown {
  return message.map(({ time, metric, value }) => ({ ts: base + time / 1000, values: { [metric]: value } }));
}

/** A device that a pack of two rules watches: {@link HOT}, and a pressure that must last. */
export async function newJudged(world: World): Promise<Sender> {
  const pending = { ...HOT, metric: "pressure", value: 5, forSeconds: 60 };
  return await newSender(world, await packOf(world, HOT, pending));
}

/** How an anomaly ended. */
export const ended = ({ status, resolvedBy, comment }: Record<string, unknown>) => [status, resolvedBy, comment];
/** The end of one that can be judged no longer. */
export const unjudged = (why: string) => ["resolved", "system", `No longer judged: ${why}.`];
