import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../src/access/access.ts";
import { addRecords, addStaff, kindsUsed, type Staff } from "./authorization/records.ts";
import { type Row, RULES } from "./authorization/rules.ts";
import { runSql } from "./harness/run-sql.ts";
import { startServer, type TestServer } from "./harness/server.ts";

/**
 * Every use case of every feature, called by the shell and by an admin: what changes a table of administration has an entry in the
 * administrative audit, in the same transaction.
 */
let server: TestServer;
let staff: Staff;

before(async () => {
  server = await startServer();
  staff = await addStaff(server);
});
after(() => server.stop());

type Run = (caller: Caller, ...args: unknown[]) => Promise<unknown>;

interface Declared {
  name: string;
  row: Row<unknown[]>;
  run: Run & { declaration: { act?: string } };
}

const declared = (): Declared[] =>
  Object.entries(RULES).flatMap(([feature, rows]) =>
    Object.entries(rows as Record<string, Row<unknown[]>>).map(([name, row]) => {
      const facade = (server.app as unknown as Record<string, Record<string, Declared["run"]>>)[feature]!;
      return { name: `${feature}.${name}`, row, run: facade[name]! };
    }),
  );

/** Not administration: work on tickets and anomalies, what devices do, and what the service keeps for itself. */
const OTHER_TABLES = [
  "admin_audit|certificate_audit|api_audit|idempotency_keys",
  "tickets|ticket_numbers|ticket_history|anomalies|rule_states",
  "events.*|notification_inbox|pages|deliver.*|suppressed_deliveries|channel_addresses|certificate_notices|device_findings",
  "telemetry.*|roll_up_marks|rejected_messages",
  "broker_nodes|mqtt_sessions|session_drop.*|connection_refusals.*",
  "list_.*|request_clock|api_key_windows|claim_guesses|schema_migrations",
].join("|");

/** Table → a digest of its rows. */
async function tables(): Promise<Map<string, string>> {
  const { db } = server.app.database;
  const names = await runSql<{ name: string }>(
    db,
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND c.relname !~ '^(${OTHER_TABLES})$'`,
    [],
  );
  assert.ok(names.length >= 15);
  const each = names.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS rows FROM ${name} t`,
  );
  const digests = await runSql<{ name: string; rows: string }>(db, each.join(" UNION ALL "), []);
  return new Map(digests.map(({ name, rows }) => [name, rows]));
}

async function changedBy(work: () => Promise<unknown>): Promise<{ result: unknown; changed: string[] }> {
  const before = await tables();
  const result = await work();
  const after = await tables();
  return { result, changed: [...after.keys()].filter((name) => after.get(name) !== before.get(name)) };
}

/** What a call with records of its own changes, answers and has recorded. */
async function entriesOf(caller: Caller, { row, run }: Pick<Declared, "row" | "run">) {
  const args = row[2](await addRecords(server, staff, kindsUsed(row[2])));
  const known = (await acts()).length;
  const { changed, result } = await changedBy(() => run(caller, ...args));
  await (result as { stop?(): Promise<void> } | undefined)?.stop?.();
  return { changed, result, entries: (await acts()).slice(0, -known || undefined) };
}

const acts = () => server.app.access.listAdminActs(staff.caller, { skip: 0, limit: 10_000 });

test("every use case that changes a table of administration is recorded, with who, what, before and after", async () => {
  const recorded = new Set<string>();
  for (const { name, row, run } of declared()) {
    const { changed, result, entries } = await entriesOf(staff.caller, { row, run });
    if (changed.length === 0 && run.declaration.act === undefined) {
      assert.deepEqual(entries, [], name);
      continue;
    }
    assert.equal(entries.length, 1, `${name} changed ${changed.join(", ")} and recorded ${entries.length} entries`);
    const [{ act, actor, target, before, after }] = entries as [(typeof entries)[0]];
    assert.equal(actor, "system", name);
    assert.ok(target.length > 0, name);
    assert.ok(before !== null || after !== null, `${name} records neither before nor after`);
    assert.equal(act, run.declaration.act ?? act);
    recorded.add(act);
    assertNoSecret(JSON.stringify([before, after]), result, name);
    if (row[1] === "no user") continue;
    const { admin } = staff.callers;
    const [byUser] = (await entriesOf(admin, { row, run })).entries;
    assert.deepEqual([byUser?.act, byUser?.actor], [act, admin.actor], name);
  }
  for (const act of ["user.reset-password", "key.revoke", "claim.create", "mqtt-client.delete", "webhook-secret.show"])
    assert.ok(recorded.has(act), act);
});

/** Fields of results that are secrets. */
const SECRET = /password|passphrase|secret|^key$|claimCode|privateKey|pkcs12/i;

function assertNoSecret(text: string, result: unknown, name: string): void {
  for (const [field, value] of Object.entries(result ?? {}))
    if (SECRET.test(field) && typeof value === "string")
      assert.ok(!text.includes(value), `${name} records the ${field}`);
}

test("an act that cannot be recorded is not done", async () => {
  const { db } = server.app.database;
  await runSql(
    db,
    `CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'planted'; END $$`,
    [],
  );
  const plant = () =>
    runSql(db, "CREATE TRIGGER planted BEFORE INSERT ON admin_audit FOR EACH ROW EXECUTE FUNCTION refuse_entry()", []);
  let tried = 0;
  for (const { name, row, run } of declared()) {
    if (run.declaration.act === undefined && !/create|update|delete|revoke|replace|assign|issue/i.test(name)) continue;
    const args = row[2](await addRecords(server, staff, kindsUsed(row[2])));
    await plant();
    const { changed } = await changedBy(() =>
      run(staff.caller, ...args).then(
        () => assert.fail(`${name} succeeded without an entry`),
        (error: Error) => assert.match(error.message, /planted/, name),
      ),
    ).finally(() => runSql(db, "DROP TRIGGER planted ON admin_audit", []));
    assert.deepEqual(changed, [], name);
    tried++;
  }
  assert.ok(tried >= 20, `${tried}`);
});

test("acts of the shell on the whole installation are recorded apart from every tenant's", async () => {
  const { access, authorities } = server.app;
  const installation = () => access.listInstallationActs({ skip: 0, limit: 100 });
  const known = (await installation()).length;
  const tenant = await access.createTenant({ slug: "audited", name: "Audited" });
  const caller = await access.systemCaller("audited");
  const [created] = await access.listAdminActs(caller, { skip: 0, limit: 10 });
  assert.deepEqual(
    [created!.act, created!.target, created!.actor, created!.before, created!.after],
    ["tenant.create", tenant.id, "system", null, { slug: "audited", name: "Audited" }],
  );
  await authorities.rotateIntermediate();
  await authorities.rotateRoot();
  await authorities.rotateServer();
  const entries = (await installation()).slice(0, -known || undefined);
  assert.deepEqual(
    entries.map(({ act }) => act),
    ["ca.rotate-server", "ca.rotate-root", "ca.rotate-intermediate"],
  );
  const [, , intermediate] = entries;
  const names = (state: object | null) => Object.entries(state ?? {}).filter(([name]) => /issuing/.test(name));
  assert.deepEqual(
    [names(intermediate!.before), names(intermediate!.after).map(([, status]) => status)],
    [[[names(intermediate!.before)[0]![0], "active"]], ["retiring", "active"]],
  );
});

test("repeating an act that changes nothing records nothing", async () => {
  const { access, connections } = server.app;
  const { apiKey, mqttClient } = await addRecords(server, staff, ["apiKey", "mqttClient"]);
  await access.revokeKey(staff.caller, apiKey);
  await connections.disableMqttClient(staff.caller, mqttClient);
  const known = (await acts()).length;
  await access.revokeKey(staff.caller, apiKey);
  await connections.disableMqttClient(staff.caller, mqttClient);
  assert.equal((await acts()).length, known);
});

test("no audit can be changed, deleted or truncated", async () => {
  const { db } = server.app.database;
  const { ticket } = await addRecords(server, staff, ["certificate", "ticket"]);
  await server.app.tickets.changeTicket(staff.caller, ticket, { title: "Other" });
  for (const [table, column] of [
    ["admin_audit", "actor"],
    ["api_audit", "operation"],
    ["certificate_audit", "actor"],
    ["ticket_history", "actor"],
  ]) {
    await assert.rejects(runSql(db, `TRUNCATE ${table}`, []), /only grows/, table);
    await assert.rejects(runSql(db, `TRUNCATE ${table} CASCADE`, []), /only grows/, table);
    if (table === "api_audit") continue;
    await assert.rejects(runSql(db, `UPDATE ${table} SET ${column} = 'x'`, []), /only grows/, table);
    await assert.rejects(runSql(db, `DELETE FROM ${table}`, []), /only grows/, table);
  }
});
