import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { openDatabase } from "../../src/db/database.ts";
import { migrate as migrateTo } from "../../src/db/migrate.ts";
import { DAY } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { addRecords, addStaff, kindsUsed } from "../access/authorization/records.ts";
import { AT_PROVIDER, ableCaller, type Row, RULES } from "../access/authorization/rules.ts";
import { OWN_KEY } from "../access/authorization/special-cases.ts";
import { nextMigrations } from "../harness/database/next-version.ts";
import { ask, onPostgres } from "../harness/database/postgres.ts";
import { connectMqtt, enrollDevice, renew } from "../harness/devices.ts";
import { musterProcess } from "../harness/processes/command-line.ts";
import { startServer } from "../harness/server.ts";

const page = await readFile(join(import.meta.dirname, "../../../docs/operations/database-roles.md"), "utf8");
const section = page.split(/^## /m).find((each) => each.startsWith("PostgreSQL: a role")) ?? "";
const [, roles = ""] = /^```sql\n(.*?)^```/ms.exec(section) ?? [];
const [, command = ""] = /npx muster (migrate --service-role \S+)\n/.exec(section) ?? [];

test("docs/operations/database-roles.md shows the SQL of a least-privilege role, as deploy/postgres/create-roles.sh runs it", async () => {
  const script = await readFile(join(import.meta.dirname, "../../../deploy/postgres/create-roles.sh"), "utf8");
  const statements = (sql: string) =>
    sql.match(/^(CREATE|GRANT|REVOKE) .*;$/gm)!.map((line) => line.replace(/ PASSWORD .*;/, ";"));
  assert.equal(statements(roles).length, 5);
  assert.deepEqual(statements(script), statements(roles));
});

/** Follows the page with roles and a database of other names. */
async function prepare() {
  const superuser = process.env.MUSTER_TEST_DATABASE_URL!;
  const suffix = randomUUID().replaceAll("-", "");
  const named = (sql: string) =>
    sql.replaceAll(/muster_(owner|service)/g, `m_$1_${suffix}`).replaceAll("DATABASE muster ", `DATABASE m_${suffix} `);
  const url = (role: string) => {
    const address = new URL(superuser);
    address.username = named(role);
    address.pathname = `/m_${suffix}`;
    return address.href;
  };
  for (const statement of named(roles).split(/;\s*$/m)) if (statement.trim()) await ask(superuser, statement);
  const [owner, service] = [url("muster_owner"), url("muster_service")];
  const folder = await mkdtemp(join(tmpdir(), "muster-migrate-"));
  const migrate = (role: string) =>
    musterProcess(["migrate", "--service-role", role], folder, { MUSTER_DATABASE_URL: owner });
  const { code, stderr } = await migrate(named(command.split(" ").at(-1)!));
  assert.equal(code, 0, stderr);
  const remove = async () => {
    await ask(superuser, `DROP DATABASE m_${suffix} WITH (FORCE)`);
    for (const role of ["owner", "service"]) await ask(superuser, `DROP ROLE m_${role}_${suffix}`);
    await rm(folder, { recursive: true });
  };
  return { owner, service, migrate, remove };
}

type Run = (caller: Caller, ...args: unknown[]) => Promise<unknown>;

if (onPostgres)
  test("a service that owns no table does everything but change the schema and the audits", async (t) => {
    const { owner, service, migrate, remove } = await prepare();
    t.after(remove);
    const server = await startServer({ databaseUrl: service });
    t.after(() => server.stop());
    const staff = await addStaff(server);

    await t.test("every use case succeeds", async () => {
      for (const [feature, rows] of Object.entries(RULES))
        for (const [name, row] of Object.entries(rows as Record<string, Row<unknown[]>>)) {
          if (AT_PROVIDER.has(`${feature}.${name}`) || OWN_KEY.has(`${feature}.${name}`)) continue;
          const ids = await addRecords(server, staff, kindsUsed(row[2]));
          const facade = (server.app as unknown as Record<string, Record<string, Run>>)[feature]!;
          const result = await facade[name]!(ableCaller(staff, `${feature}.${name}`), ...row[2](ids));
          await (result as { stop?(): Promise<void> } | undefined)?.stop?.();
        }
    });

    await t.test("devices enroll, publish into new days, renew; old days are dropped", async () => {
      const device = await enrollDevice(server, staff);
      const client = await connectMqtt(server, device);
      await client.publishAsync(device.topic, JSON.stringify({ temperature: 21 }), { qos: 1 });
      server.clock.advance(DAY);
      await client.publishAsync(device.topic, JSON.stringify({ temperature: 22 }), { qos: 1 });
      await client.endAsync(true);
      assert.equal((await renew(server, device)).answer.status, 200);
      const days = async () => {
        const made =
          "SELECT relname FROM pg_class WHERE relname ~ '^telemetry_messages_[0-9]+_[0-9]{8}$' AND relkind = 'r'";
        return (await ask<{ relname: string }>(service, made)).map(({ relname }) => relname);
      };
      const before = await days();
      assert.ok(before.length >= 2);
      server.clock.advance(800 * DAY);
      await server.app.telemetry.rollUp();
      await server.app.telemetry.maintainPartitions();
      const after = await days();
      assert.deepEqual(
        before.filter((name) => after.includes(name)),
        [],
      );
      await server.app.enrollment.deleteDevice(staff.caller, device.deviceId);
    });

    await t.test(
      "authorities and the master key's tables are administered, and doctor finds nothing broken",
      async () => {
        await server.app.authorities.rotateRoot();
        await server.app.authorities.maintain();
        const { checks } = await server.app.doctor.examine({ deep: true });
        const broken = checks.filter(({ ok, level }) => !ok && level === "must").map(({ name }) => name);
        // The clock was advanced, the heartbeats were not.
        assert.deepEqual(broken, ["a broker node has sent a heartbeat within the last minute"]);
      },
    );

    await t.test("migrate takes back what the role should not have, and refuses a role that is not apart", async () => {
      const role = new URL(service).username;
      await ask(owner, `GRANT UPDATE, TRUNCATE ON api_audit TO ${role}`);
      await ask(owner, `REVOKE SELECT ON devices FROM ${role}`);
      assert.equal((await migrate(role)).code, 0);
      await assert.rejects(ask(service, "TRUNCATE api_audit"), { code: "42501" });
      await assert.rejects(ask(service, "UPDATE api_audit SET id = id"), { code: "42501" });
      await ask(service, "SELECT FROM devices");
      const stray = new URL(process.env.MUSTER_TEST_DATABASE_URL!);
      stray.pathname = new URL(owner).pathname;
      await ask(stray.href, `CREATE TABLE stray (); ALTER TABLE stray OWNER TO ${role}`);
      const refusals = [
        ["nobody_of_this_name", /the role nobody_of_this_name does not exist: create it first/],
        [new URL(owner).username, /can act as \S+, which owns the tables: choose another role/],
        [stray.username, /can act as \S+, which owns the tables: choose another role/],
        [role, /owns stray: a service role must own nothing/],
      ] as const;
      for (const [refused, message] of refusals) {
        const { code, stderr } = await migrate(refused);
        assert.equal(code, 1);
        assert.match(stderr, message);
      }
      await ask(stray.href, "DROP TABLE stray");
    });

    await t.test("before a missing migration it stops and says who can migrate", async () => {
      const opened = await openDatabase({ url: service, dataDir: "memory", logger: createLogger("silent") });
      const migrating = migrateTo(opened, nextMigrations).finally(() => opened.close());
      await assert.rejects(migrating, /needs \d+, which its role may not change: run muster migrate as the owner/);
    });
  });
