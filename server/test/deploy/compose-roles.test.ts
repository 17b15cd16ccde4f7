/**
 * Runs the services of compose.yaml without containers: the same script, commands, addresses and confinement, on a
 * separate PostgreSQL.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ownPostgres } from "../harness/database/own-postgres.ts";
import { ask, onPostgres } from "../harness/database/postgres.ts";
import { connectMqtt } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { musterProcess } from "../harness/processes/command-line.ts";
import { canConfine, confine } from "../harness/processes/confined.ts";
import { startCrashFixture } from "../harness/processes/crash.ts";
import { COMPOSE_SECRETS, readCompose } from "./compose-file.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const { services } = readCompose("compose.yaml");

/** Requires passwords of the roles, as the PostgreSQL image does. */
async function demandPasswords(superuser: string): Promise<void> {
  const lines = "('host all muster all trust'), ('host all all all scram-sha-256')";
  const [{ file }] = (await ask<{ file: string }>(superuser, "SELECT current_setting('hba_file') AS file")) as [
    { file: string },
  ];
  await ask(superuser, `COPY (VALUES ${lines}) TO '${file}'`);
  await ask(superuser, "SELECT pg_reload_conf()");
}

async function createRoles(superuser: URL): Promise<void> {
  await ask(superuser.href, "DROP DATABASE muster");
  const { MUSTER_OWNER_PASSWORD, MUSTER_SERVICE_PASSWORD } = services.postgres!.environment!;
  const passwords = { MUSTER_OWNER_PASSWORD, MUSTER_SERVICE_PASSWORD };
  const connection = { PGHOST: superuser.hostname, PGPORT: superuser.port, POSTGRES_USER: superuser.username };
  await run(join(root, "deploy/postgres/create-roles.sh"), {
    env: { PATH: process.env.PATH, ...connection, ...passwords },
  });
}

if (onPostgres)
  test("the service of compose.yaml runs with a role that owns nothing, on a read-only file system", {
    skip: canConfine ? false : "needs root on Linux",
  }, async (t) => {
    const postgres = await ownPostgres();
    t.after(() => postgres.stop());
    const superuser = new URL(postgres.url);
    superuser.pathname = "/postgres";
    await createRoles(superuser);
    await demandPasswords(superuser.href);
    const confinement = await confine();
    t.after(() => rm(confinement.folder, { recursive: true }));
    /** Returns the database address in a service's settings, on this PostgreSQL. */
    const urlOf = (name: string) => {
      const url = new URL(services[name]!.environment!.MUSTER_DATABASE_URL!);
      url.host = superuser.host;
      return url.href;
    };
    const [owner, service] = [urlOf("migrate"), urlOf("muster")];
    const migrate = (url: string) =>
      musterProcess(services.migrate!.command!, confinement.dataDir, { MUSTER_DATABASE_URL: url }, confinement.command);

    await t.test("before the migration the service's role has no rights", async () => {
      const { code, stderr } = await migrate(service);
      assert.equal(code, 1);
      assert.match(stderr, /its role may not change: run muster migrate as the owner of the tables/);
    });

    await t.test("migrate can be repeated", async () => {
      for (let time = 0; time < 2; time++) {
        const { code, stdout, stderr } = await migrate(owner);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /The role muster_service can run the service and owns nothing\./);
      }
    });

    const fixture = await startCrashFixture({
      faulty: false,
      env: { MUSTER_MASTER_KEY: COMPOSE_SECRETS.MUSTER_MASTER_KEY! },
      database: { url: service, remove: async () => undefined },
      confinement,
    });
    t.after(() => fixture.close());

    await t.test("devices enroll, publish and renew", async () => {
      const device = await fixture.enroll();
      const client = await connectMqtt(fixture.server, device);
      await client.publishAsync(device.topic, JSON.stringify({ temperature: 21 }), { qos: 1 });
      await client.endAsync();
      const stored = await eventually(async () => {
        const [row] = await ask<{ count: string }>(service, "SELECT count(*) FROM telemetry_messages");
        return row!.count === "1";
      });
      assert.equal(stored, true);
      assert.equal((await fixture.renew(device)).answer.status, 200);
      await fixture.doctor();
    });

    await t.test("the role owns nothing, cannot rewrite audits, nor become the owner", async () => {
      const owned = "SELECT count(*)::int AS count FROM pg_class WHERE relowner = 'muster_service'::regrole";
      assert.deepEqual(await ask(service, owned), [{ count: 0 }]);
      for (const statement of [
        "DELETE FROM certificate_audit",
        "DELETE FROM ticket_comments",
        "ALTER TABLE certificate_audit DISABLE TRIGGER ALL",
        "TRUNCATE devices",
        "INSERT INTO schema_migrations VALUES (1000, 'x')",
        "CREATE TABLE mine (id integer)",
        "SET ROLE muster_owner",
      ])
        await assert.rejects(ask(service, statement), { code: "42501" }, statement);
    });
  });
