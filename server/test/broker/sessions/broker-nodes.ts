import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { sql } from "kysely";
import { type Process, processes } from "../../harness/processes/broker-processes.ts";
import { enroll } from "../features.ts";

/** Processes on one database, and devices with certificates. */
export async function nodes(t: TestContext, count: number, heartbeats: { heartbeatMs?: number } = {}) {
  const { all, database, clock } = await processes(t, count, heartbeats);
  const [{ access, devices, enrollment, certificates, connections }] = all as [Process];
  const caller = await access.systemCaller("acme");
  const type = await devices.createDeviceType(caller, { name: "Pump", publishTopics: ["telemetry/{deviceId}"] });
  async function device() {
    const { deviceId, certificateId, cert } = await enroll({ certificates, enrollment }, caller, type.id);
    const { rows } = await sql<{ uid: string }>`SELECT uid FROM devices WHERE id = ${deviceId}`.execute(database.db);
    const of = {
      clientId: deviceId,
      tenantId: caller.tenantId,
      deviceUid: rows[0]!.uid,
      certificateId,
      mqttClientId: null,
    };
    return { ...of, cert, session: () => ({ ...of, sessionId: randomUUID(), remoteAddress: "127.0.0.1" }) };
  }
  const revoke = (certificateId: string) => enrollment.revokeCertificate(caller, certificateId);
  const dropsOf = () => all.map(({ drops }) => drops.splice(0).map(({ reason }) => reason));
  return { all, access, database, clock, caller, device, revoke, enrollment, connections, dropsOf };
}
