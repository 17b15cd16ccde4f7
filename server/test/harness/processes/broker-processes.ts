import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { SessionDrop } from "../../../src/connections/connections.ts";
import type { Database } from "../../../src/db/database.ts";
import type { Features } from "../../../src/features.ts";
import { openTestDatabase, secondDatabase } from "../database/database.ts";
import { FakeClock } from "../fake-clock.ts";
import { testFeatures } from "../features.ts";

/** A process that serves MQTT: its features on its own pool, and the drops that it has to deliver. */
export interface Process extends Features {
  database: Database;
  nodeId: string;
  drops: SessionDrop[];
}

/** Processes on one database. They share one connection to the embedded database, which admits a single process. */
export async function processes(t: TestContext, count: number, { heartbeatMs }: { heartbeatMs?: number } = {}) {
  const first = await openTestDatabase();
  const clock = new FakeClock();
  const all: Process[] = [];
  for (let n = 0; n < count; n++) {
    const database = n === 0 ? first : { ...(await secondDatabase(first)), kind: "postgres" as const };
    const features = testFeatures({ database, clock, heartbeatMs });
    const drops: SessionDrop[] = [];
    features.connections.onDrop(async (drop) => void drops.push(drop));
    all.push({ ...features, database, nodeId: await features.connections.startNode(), drops });
  }
  t.after(async () => {
    for (const { connections } of all) await connections.stopNode();
    for (const { database } of all.slice(1)) await database.close();
    await first.close();
    await first.remove();
  });
  const { access, devices } = all[0]!;
  const tenant = await access.createTenant({ slug: "acme", name: "Acme" });
  const caller = await access.systemCaller("acme");
  const newDevice = async () => {
    const { id } = await devices.createDevice(caller, { name: "Pump" });
    const row = await first.db.selectFrom("devices").select("uid").where("id", "=", id).executeTakeFirstOrThrow();
    const connectivity = async () => (await devices.getDevice(caller, id)).connectivity;
    return { id, uid: row.uid, connectivity };
  };
  const session = (device: { id: string; uid: string }) => ({
    sessionId: randomUUID(),
    clientId: device.id,
    tenantId: tenant.id,
    deviceUid: device.uid,
    certificateId: null,
    mqttClientId: null,
    remoteAddress: "127.0.0.1",
  });
  return { all, clock, database: first, newDevice, session };
}
