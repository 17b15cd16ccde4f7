import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { addRecords, addStaff, kindsUsed, leastCaller, type Staff } from "../access/authorization/records.ts";
import { AT_PROVIDER, ableCaller, type Row, RULES } from "../access/authorization/rules.ts";
import { OWN, OWN_KEY } from "../access/authorization/special-cases.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/**
 * The shell and an admin call every use case of every feature. Each change to a table of administration has an entry in
 * the administrative audit, in the same transaction.
 */
let server: TestServer;
let staff: Staff;

before(async () => {
  server = await startServer();
  staff = await addStaff(server);
  await makeDigest();
});
after(() => server.stop());

type Run = (caller: Caller, ...args: unknown[]) => Promise<unknown>;

interface Declared {
  name: string;
  row: Row<unknown[]>;
  run: Run & { declaration: { act?: string } };
}

const FEATURES = Object.keys(RULES) as (keyof typeof RULES)[];

const declaredBy = (feature: keyof typeof RULES): Declared[] =>
  Object.entries(RULES[feature] as Record<string, Row<unknown[]>>)
    .map(([name, row]) => {
      const facade = (server.app as unknown as Record<string, Record<string, Declared["run"]>>)[feature]!;
      return { name: `${feature}.${name}`, row, run: facade[name]! };
    })
    .filter(({ name }) => !AT_PROVIDER.has(name));

const declared = (): Declared[] => FEATURES.flatMap(declaredBy);

/** Tables without administration: work on tickets and anomalies, what devices do, and internal state. */
const OTHER_TABLES = [
  "admin_audit|certificate_audit|api_audit|audit_outbox|idempotency_keys",
  "tickets|ticket_numbers|ticket_history|ticket_comments|anomalies|rule_states|silence_.*",
  "events.*|notification_inbox|pages|deliver.*|suppressed_deliveries|channel_addresses|certificate_notices|device_findings",
  "telemetry.*|device_latest|roll_up_marks|rejected_messages",
  "broker_nodes|mqtt_sessions|stored_.*|wills|session_drop.*|connection_refusals.*|client_trace.*",
  "list_.*|request_clock|api_key_windows|api_key_blocks|claim_guesses|sign_in_repeats|schema_migrations|push_keys",
  // The private records of users.
  "saved_filters|user_channels|user_notifications",
].join("|");

/** Tables whose rows deliveries change too, with what administration changes of them. */
const CONFIGURED: Record<string, string> = {
  audit_streams: "string_agg(concat_ws(' ', tenant_id, kind, target, ca_pem, secret_seed), ',') FROM audit_streams",
};

/**
 * Creates a function that answers, for each table, how many rows it has and the newest transaction that wrote one. The
 * value changes when a row is added, changed or deleted. The database plans a function's statement once, and this one
 * runs hundreds of times.
 */
async function makeDigest(): Promise<void> {
  const { db } = server.app.database;
  const names = await runSql<{ name: string }>(
    db,
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND c.relname !~ '^(${OTHER_TABLES})$'`,
    [],
  );
  assert.ok(names.length >= 15);
  const written = ({ name }: { name: string }) => `concat(count(*), ' ', max(t.xmin::text::bigint)) FROM ${name} t`;
  const each = names.map((table) => `SELECT '${table.name}', ${CONFIGURED[table.name] ?? written(table)}`);
  await runSql(
    db,
    `CREATE FUNCTION digest_of_tables() RETURNS TABLE (name text, rows text) LANGUAGE plpgsql AS $$
       BEGIN RETURN QUERY ${each.join(" UNION ALL ")}; END $$`,
    [],
  );
}

async function tables(): Promise<Map<string, string>> {
  const digests = await runSql<{ name: string; rows: string }>(
    server.app.database.db,
    "SELECT * FROM digest_of_tables()",
    [],
  );
  return new Map(digests.map(({ name, rows }) => [name, rows]));
}

async function changedBy(work: () => Promise<unknown>): Promise<{ result: unknown; changed: string[] }> {
  const before = await tables();
  const result = await work();
  const after = await tables();
  return { result, changed: [...after.keys()].filter((name) => after.get(name) !== before.get(name)) };
}

/** The changes, result and audit entries of a call with its own records. */
async function entriesOf(caller: Caller, { row, run }: Pick<Declared, "row" | "run">) {
  const args = row[2](await addRecords(server, staff, kindsUsed(row[2])));
  const { total: known } = await listActs(1);
  const { changed, result } = await changedBy(() => run(caller, ...args));
  await (result as { stop?(): Promise<void> } | undefined)?.stop?.();
  const { total, items } = await listActs(NEWEST);
  assert.ok(total - known <= NEWEST, `${total - known} entries`);
  return { changed, result, entries: items.slice(0, total - known) };
}

/** More entries than one call makes. */
const NEWEST = 20;
const listActs = (limit: number) => server.app.access.listAdminActs(staff.caller, { skip: 0, limit });
const acts = async () => (await listActs(10_000)).items;

/** Changes a private record of the user, in a table that holds records of administration too. */
const PRIVATE = "notifications.addOwnPush";

for (const feature of FEATURES) {
  test(`every use case of ${feature} that changes a table of administration is recorded, with who, what, before and after`, async () => {
    for (const { name, row, run } of declaredBy(feature)) {
      // The tests of a key's rotation see what it records.
      if (OWN_KEY.has(name)) continue;
      const { changed, result, entries } = await entriesOf(ableCaller(staff, name), { row, run });
      if ((changed.length === 0 || name === PRIVATE) && run.declaration.act === undefined) {
        assert.deepEqual(entries, [], name);
        continue;
      }
      assert.equal(entries.length, 1, `${name} changed ${changed.join(", ")} and recorded ${entries.length} entries`);
      const [{ act, actor, target, before, after }] = entries as [(typeof entries)[0]];
      assert.equal(actor, ableCaller(staff, name).actor, name);
      assert.ok(target.length > 0, name);
      assert.ok(before !== null || after !== null, `${name} records neither before nor after`);
      assert.equal(act, run.declaration.act ?? act);
      assertNoSecret(JSON.stringify([before, after]), result, name);
      if (row[1] === "no user") continue;
      const admin = leastCaller(staff, row[1] === "platform" ? "platform" : "admin");
      const [byUser] = (await entriesOf(admin, { row, run })).entries;
      assert.deepEqual([byUser?.act, byUser?.actor], [act, admin.actor], name);
    }
  });
}

test("the most important actions are among those recorded", async () => {
  const recorded = new Set((await acts()).map(({ act }) => act));
  for (const act of ["user.reset-password", "key.revoke", "claim.create", "mqtt-client.delete", "webhook-secret.show"])
    assert.ok(recorded.has(act), act);
});

/** Result fields that contain secrets. */
const SECRET = /password|passphrase|secret|^key$|claimCode|privateKey|pkcs12/i;

function assertNoSecret(text: string, result: unknown, name: string): void {
  for (const [field, value] of Object.entries(result ?? {}))
    if (SECRET.test(field) && typeof value === "string")
      assert.ok(!text.includes(value), `${name} records the ${field}`);
}

test("an action that cannot be recorded is not executed", async () => {
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
    if (OWN.has(name) || OWN_KEY.has(name)) continue;
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

test("actions of the shell on the whole installation are recorded separately from every tenant's", async () => {
  const { access, authorities } = server.app;
  const installation = () => access.listInstallationActs({ skip: 0, limit: 100 });
  const known = (await installation()).length;
  const tenant = await access.createTenant({ slug: "audited", name: "Audited" });
  const caller = await access.systemCaller("audited");
  const [created] = (await access.listAdminActs(caller, { skip: 0, limit: 10 })).items;
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
  const [former] = names(intermediate!.before).find(([, status]) => status === "active")!;
  const after = new Map(names(intermediate!.after));
  assert.equal(after.get(former), "retiring");
  assert.deepEqual([after.size, [...after.values()].at(-1)], [names(intermediate!.before).length + 1, "active"]);
});

test("repeating an action without a change records nothing", async () => {
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

test("each audit is listed in pages with totals, by each of its filters, and shows no other tenant's entries", async () => {
  const { access, certificates, devices, enrollment, groups } = server.app;
  const { caller, admin } = await addStaff(server);
  const page = { skip: 0, limit: 2 };
  const start = server.clock.now();
  const key = await access.createKey(caller, { user: admin.email, name: "audited", scopes: ["groups:write"] });
  const group = async (name: string, keyId: string) => {
    const request = { id: `request-${name}`, holder: keyId, by: "key" as const, operation: "createGroup" };
    return await groups.createGroup({ ...caller, actor: `apikey:${keyId}`, request }, { name });
  };
  const [first, second] = [await group("a", key.id), await group("b", "otherkey")];
  const device = await devices.createDevice(caller, { name: "x" });
  const { id: certificateId } = await enrollment.issueBundle(caller, { deviceId: device.id });
  server.clock.advance(60_000);
  const later = server.clock.now();
  await enrollment.revokeCertificate(caller, certificateId);
  const period = { from: start, to: later };

  const admins = async (filter: object) => {
    const { items, total, ...echo } = await access.listAdminActs(caller, { ...page, ...filter });
    assert.deepEqual(echo, page);
    return [total, ...items.map(({ act }) => act)];
  };
  assert.deepEqual(await admins({ ...period, act: "device." }), [1, "device.create"]);
  assert.deepEqual(await admins({ act: "certificate.", from: later }), [1, "certificate.revoke"]);
  assert.deepEqual(await admins({ target: certificateId }), [2, "certificate.revoke", "certificate.create"]);
  assert.deepEqual(await admins({ target: key.id, actor: "system" }), [1, "key.create"]);
  assert.deepEqual(await admins({ target: key.id, actor: "user:x" }), [0]);
  assert.deepEqual(await admins({ act: "device.create\0" }), [0]);
  const [all, newest, next] = await admins({});
  assert.ok(Number(all) > 2);
  assert.deepEqual([newest, next], ["certificate.revoke", "certificate.create"]);

  const writes = async (filter: object) => {
    const { items, total } = await access.listApiWrites(caller, { ...page, ...filter });
    return [total, ...items.map(({ resourceId }) => resourceId)];
  };
  assert.deepEqual(await writes({}), [2, second.id, first.id]);
  assert.deepEqual(await writes({ keyId: key.id, ...period }), [1, first.id]);
  assert.deepEqual(await writes({ resource: "group", resourceId: second.id, result: "created" }), [1, second.id]);
  assert.deepEqual(await writes({ operation: "createClaim" }), [0]);
  assert.deepEqual(await writes({ from: later }), [0]);

  const entries = async (filter: object) => {
    const { items, total } = await certificates.listCertificateAudit(caller, { ...page, ...filter });
    return [total, ...items.map(({ kind }) => kind)];
  };
  const both = [2, "device_cert_revoked", "device_cert_minted"];
  assert.deepEqual(await entries({}), both);
  assert.deepEqual(await entries({ deviceId: device.id }), both);
  assert.deepEqual(await entries({ certificateId, actor: "system" }), both);
  assert.deepEqual(await entries({ kind: "device_cert_minted", ...period }), [1, "device_cert_minted"]);
  assert.deepEqual(await entries({ certificateId: "no-uuid" }), [0]);
  assert.deepEqual(await entries({ deviceId: "other" }), [0]);
});

test("a filtered audit is counted up to the requested number beyond its page, and says whether its total is a lower bound", async () => {
  const { access, certificates, devices, enrollment, groups } = server.app;
  const { caller } = await addStaff(server);
  const request = { id: "request-counted", holder: "countedkey", by: "key" as const, operation: "createGroup" };
  for (const name of ["a", "b", "c"])
    await groups.createGroup({ ...caller, actor: "apikey:countedkey", request: { ...request, id: name } }, { name });
  const device = await devices.createDevice(caller, { name: "x" });
  for (let issued = 0; issued < 2; issued++) await enrollment.issueBundle(caller, { deviceId: device.id });

  const cut = { skip: 0, limit: 1, countAhead: 0 };
  const whole = { skip: 0, limit: 1, countAhead: 10 };
  const lists = {
    writes: (page: typeof cut) => access.listApiWrites(caller, { keyId: "countedkey", ...page }),
    acts: (page: typeof cut) => access.listAdminActs(caller, { act: "certificate.", ...page }),
    entries: (page: typeof cut) => certificates.listCertificateAudit(caller, { kind: "device_cert_minted", ...page }),
  };
  const counted = async (page: typeof cut) =>
    await Promise.all(Object.values(lists).map((list) => list(page).then((all) => [all.total, all.totalIsAtLeast])));
  assert.deepEqual(await counted(cut), Array(3).fill([1, true]));
  assert.deepEqual(await counted(whole), [
    [3, undefined],
    [2, undefined],
    [2, undefined],
  ]);
});
