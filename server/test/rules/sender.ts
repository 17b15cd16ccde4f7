import { notify } from "../../src/db/database.ts";
import type { NewRule, ThresholdPack } from "../../src/rules/rules.ts";
import type { SentReading } from "../../src/rules/test-support/reference-evaluator.ts";
import type { Telemetry } from "../../src/telemetry/telemetry.ts";
import { runSql } from "../harness/database/run-sql.ts";
import type { TestTenant } from "../harness/devices.ts";
import { testFeatures } from "../harness/features.ts";
import { type Environment, HOT } from "./environment.ts";

/** A device with threshold packs whose messages the test passes to ingest, as the broker does. */
export interface Sender {
  id: string;
  uid: string;
  /** Sends one batch of messages. Resolves when it is stored. */
  send(messages: readonly unknown[], by?: Telemetry): Promise<void>;
  /** Sends one message with its own time: `ms` from the server's current time. */
  say(values: Record<string, unknown>, ms?: number, by?: Telemetry): Promise<void>;
  /** Returns its anomalies as the API lists them, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  anomalies(): Promise<any[]>;
  /** Replaces the assigned packs by these. */
  assign(packs: readonly ThresholdPack[], deviceTypeId?: string): Promise<void>;
}

/** Creates a device with packs in the environment's tenant. */
export async function newSender(env: Environment, ...packs: ThresholdPack[]): Promise<Sender> {
  return await newSenderOf(env, env.tenant, packs);
}

export async function newSenderOf(
  env: Environment,
  tenant: TestTenant,
  packs: readonly ThresholdPack[],
  groupIds: string[] = [],
): Promise<Sender> {
  const { app, clock } = env.server;
  const { caller, slug } = tenant;
  const { id, uid } = await env.newDevice(tenant, groupIds);
  const from = { tenantId: caller.tenantId, deviceUid: uid, deviceId: id, topic: `t/${slug}/telemetry/${id}` };
  const send: Sender["send"] = async (messages, by = app.telemetry) => {
    await Promise.all(messages.map((message) => by.ingest({ ...from, payload: Buffer.from(JSON.stringify(message)) })));
    await env.stored();
  };
  const list = `anomalies?deviceId=${id}&limit=200`;
  const sender: Sender = {
    id,
    uid,
    send,
    say: (values, ms = 0, by) => send([{ ts: clock.now().getTime() + ms, values }], by),
    anomalies: async () => (await env.ask("GET", list, undefined, {}, { by: tenant })).json.items.reverse(),
    async assign(next, deviceTypeId) {
      const thresholdIds = next.map((pack) => pack.id);
      await app.devices.replaceDevice(caller, id, { name: "Pump", deviceTypeId, thresholdIds, groupIds });
      await notificationsArrived(env);
    },
  };
  if (packs.length > 0) await sender.assign(packs);
  return sender;
}

/** Waits until the servers have received all notifications sent so far, which arrive in the order of the commits. */
async function notificationsArrived({ servers }: Environment): Promise<void> {
  for (const { app } of servers) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unlisten = await app.database.listen("muster_test_marker", () => resolve());
    await notify(app.database.db, "muster_test_marker", "");
    await promise;
    await unlisten();
  }
}

/**
 * Returns the ingest of another process on the same database, with an empty cache. With the ingest stream it is that of
 * the next server: whichever has the device's partition stores the message.
 */
export function freshTelemetry({ server, nextServer }: Environment, database = server.app.database): Telemetry {
  return nextServer?.().app.telemetry ?? testFeatures({ database, clock: server.clock }).telemetry;
}

export async function packOf(env: Environment, ...rules: NewRule[]): Promise<ThresholdPack> {
  return await env.newPack(env.tenant, ...rules);
}

export async function storedStates({ server }: Environment, uid: string): Promise<string[]> {
  const rows = await runSql<{ phase: string }>(
    server.app.database.db,
    "SELECT phase FROM rule_states WHERE device_uid = $1 ORDER BY phase",
    [uid],
  );
  return rows.map(({ phase }) => phase);
}

export async function storedReadings({ server }: Environment, uid: string): Promise<number> {
  const { db } = server.app.database;
  return (await runSql(db, "SELECT FROM shared_readings WHERE device_uid = $1", [uid])).length;
}

/** Converts a message of the reference evaluator to a device's message with times relative to `base` (ms). */
export function payloadOf(message: readonly SentReading[], base: number): unknown {
  return message.map(({ time, metric, value }) => ({ ts: base + time / 1000, values: { [metric]: value } }));
}

/** Creates a device with a pack of two rules: {@link HOT}, and a pressure that must last. */
export async function newSenderOfTwoRules(env: Environment): Promise<Sender> {
  const pending = { ...HOT, metric: "pressure", value: 5, forSeconds: 60 };
  return await newSender(env, await packOf(env, HOT, pending));
}

/** Returns how an anomaly was resolved. */
export const resolution = ({ status, resolvedBy, comment }: Record<string, unknown>) => [status, resolvedBy, comment];
/** The resolution of an anomaly whose rule no longer evaluates the device. */
export const unevaluated = (why: string) => ["resolved", "system", `No longer evaluated: ${why}.`];
