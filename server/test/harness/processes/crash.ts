import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeCsr, makeKey } from "../../../../agent/src/csr.ts";
import { fillFolder, onPostgres, testDatabase } from "../database/database.ts";
import { ask } from "../database/postgres.ts";
import { redemption, type TestDevice } from "../devices.ts";
import type { HttpAnswer } from "../http/http-answer.ts";
import { https } from "../http/https.ts";
import { TEST_MASTER_KEY } from "../server.ts";
import { type ProcessOptions, type ServerProcess, startProcess } from "./process.ts";

export type Device = Omit<TestDevice, "chain" | "fingerprint">;

const SCOPES = [
  "devices:*",
  "groups:*",
  "thresholds:*",
  "provisioning:read",
  "provisioning:write",
  "device-certificates:read",
  "device-certificates:issue",
  "device-certificates:revoke",
  "commands:read",
  "commands:write",
];

interface FixtureOptions extends ProcessOptions {
  fresh?: boolean;
  database?: { url: string; remove(): Promise<void> };
}

/** A service in its own process that tests kill and restart, with a tenant, a key, and its clients' requests. */
export type CrashFixture = Awaited<ReturnType<typeof startCrashFixture>>;

/**
 * @param fresh whether the service creates its embedded database itself at its first start
 * @param env additional settings
 * @param database a database that the caller has created
 */
export async function startCrashFixture({ faulty = true, fresh = false, env = {}, ...given }: FixtureOptions = {}) {
  const { confinement } = given;
  const dataDir = confinement?.dataDir ?? (await mkdtemp(join(tmpdir(), "muster-crash-")));
  const database = given.database ?? (onPostgres ? await testDatabase() : undefined);
  if (!onPostgres && !fresh) await fillFolder(dataDir);
  const options = {
    faulty,
    confinement,
    env: { MUSTER_MASTER_KEY: TEST_MASTER_KEY, MUSTER_LOG_LEVEL: "info", ...env },
  };
  let server = await startProcess(dataDir, database?.url, options);
  const others: { server: ServerProcess; folder: string }[] = [];

  await server.command("tenant.create", { slug: "acme", name: "Acme" });
  const email = "ada@acme.example";
  await server.command("user.create", { tenant: "acme", email, role: "admin" });
  const { key } = await server.command("key.create", { tenant: "acme", user: email, name: "test", scopes: SCOPES });
  const topics = { publishTopics: ["telemetry/{deviceId}"], subscribeTopics: ["commands/{deviceId}"] };
  const type = await server.command("device-type.create", { tenant: "acme", name: "Pump", ...topics });

  const api = (method: string, path: string, body?: unknown, headers = {}): Promise<HttpAnswer> =>
    https(`${server.httpUrl}/api/v1/${path}`, {
      method,
      body,
      ca: server.ca,
      headers: { "x-api-key": key, ...headers },
    });
  /** Returns the answer of a request that must succeed. */
  const done = async (...asked: Parameters<typeof api>) => {
    const answer = await api(...asked);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  const redeemBody = (body: unknown, proof?: Pick<Device, "fullchain" | "key">) =>
    https(`${server.httpUrl}/api/provisioning/claim`, { body, ca: server.ca, cert: proof?.fullchain, key: proof?.key });

  const fixture = {
    dataDir,
    databaseUrl: database?.url,
    get server() {
      return server;
    },
    api,
    done,
    redeem: redeemBody,
    /**
     * Creates a claim.
     * @returns the claim with a device's redemption request for its code
     */
    async claim(maxUses = 1) {
      const { id, claimCode } = await server.command("claim.create", {
        tenant: "acme",
        intendedName: "Pump",
        intendedDeviceTypeId: type.id,
        maxUses,
      });
      const { key: deviceKey, body } = await redemption(claimCode);
      return { id: id as string, claimCode: claimCode as string, key: deviceKey, body };
    },
    redemptionOf: redemption,
    async used(claimId: string): Promise<number> {
      const answer = await api("GET", `provisioning/claims/${claimId}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json.usedCount;
    },
    async enroll(): Promise<Device> {
      const claim = await fixture.claim();
      const answer = await redeemBody(claim.body);
      assert.equal(answer.status, 200, answer.text);
      return deviceOf(answer, claim.key);
    },
    async renew(device: Device) {
      const fresh = await makeKey();
      const answer = await https(`${server.httpUrl}/api/provisioning/cert/renew`, {
        body: { csr: makeCsr(fresh) },
        ca: server.ca,
        cert: device.fullchain,
        key: device.key,
      });
      return { answer, key: fresh };
    },
    async certificates(deviceId?: string) {
      const answer = await api("GET", `device-certificates?limit=200${deviceId ? `&deviceId=${deviceId}` : ""}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json.items;
    },
    /** Kills the process at `point` during `work`, which must get no answer, and restarts it. */
    async killedAt(point: string, work: () => Promise<unknown>): Promise<void> {
      await server.arm(`${point}:kill9`);
      await assert.rejects(work(), `the client got an answer although the process was killed at ${point}`);
      assert.equal(await server.ended, null);
      await fixture.restart();
    },
    masterKey: TEST_MASTER_KEY,
    /** Continues with a process that the test has started itself. */
    use(started: ServerProcess): void {
      server = started;
    },
    async restart(): Promise<void> {
      server = await startProcess(dataDir, database?.url, options);
    },
    /** Makes the heartbeats ten seconds older: on PostgreSQL the next start reaps the nodes of the killed processes. */
    async outdateHeartbeats(): Promise<void> {
      if (database?.url === undefined) return;
      await ask(database.url, "UPDATE broker_nodes SET beat_at = beat_at - interval '10 seconds'");
    },
    /**
     * Asserts that `doctor --deep` finds nothing wrong. The session of a certificate that was just revoked takes a
     * moment to close.
     */
    async doctor(): Promise<void> {
      let answer = await server.command("doctor", { deep: true });
      for (let turn = 1; !answer.healthy && turn < 600; turn++) {
        await setTimeout(100);
        answer = await server.command("doctor", { deep: true });
      }
      const { healthy, checks } = answer;
      assert.ok(checks.length > 12);
      assert.ok(healthy, JSON.stringify(checks.filter((check: { ok: boolean }) => !check.ok)));
    },
    /** Starts another process on the same PostgreSQL. */
    async another(): Promise<ServerProcess> {
      const folder = await mkdtemp(join(tmpdir(), "muster-crash-"));
      const started = await startProcess(folder, database?.url, options);
      others.push({ server: started, folder });
      return started;
    },
    async close(): Promise<void> {
      for (const each of others) {
        await each.server.end("SIGKILL");
        await rm(each.folder, { recursive: true, force: true });
      }
      await server.end("SIGKILL");
      await database?.remove();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return fixture;
}

export function deviceOf(answer: HttpAnswer, key: string): Device {
  const { deviceId, mqtt: given } = answer.json;
  return {
    deviceId,
    key,
    cert: given.clientCert,
    fullchain: given.clientCert + given.clientCertChain,
    ca: given.serverCaBundle,
    topic: given.publishTopics[0],
  };
}
