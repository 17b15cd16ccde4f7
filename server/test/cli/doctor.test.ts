import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import type { Tx } from "../../src/db/types.ts";
import { findViolations } from "../../src/doctor/check-store.ts";
import { AVAILABILITY, type Check, INVARIANTS, TIMELINESS, WARNINGS } from "../../src/doctor/checks.ts";
import { createDoctor, type Diagnosis } from "../../src/doctor/doctor.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { addTenant, csrOf, enroll, peerOf, type Registry, startRegistry, type Tenant } from "../harness/enrollment.ts";

let registry: Registry & { stop(): Promise<void> };
let tenant: Tenant;

/** A database with every kind of certificate: enrolled, renewed, issued as a bundle, revoked, of a deleted device. */
before(async () => {
  registry = await startRegistry();
  tenant = await addTenant(registry, "acme");
  const { enrollment } = registry;
  const first = await enroll(registry, tenant);
  const from = { address: "192.0.2.1", peer: first.peer };
  const renewed = await enrollment.renewCertificate(from, { csr: csrOf() });
  assert.ok(peerOf(renewed.clientCert));
  const { deviceId } = first.answer;
  const wanted = { deviceId, acknowledgeSelfEnrollmentOverride: true };
  const bundle = await enrollment.issueBundle(tenant.caller, wanted);
  await enrollment.issueBundle(tenant.caller, wanted);
  await enrollment.revokeCertificate(tenant.caller, bundle.id);
  const gone = await enroll(registry, tenant);
  await enrollment.deleteDevice(tenant.caller, gone.answer.deviceId);
  const { id: anomalous } = await registry.devices.createDevice(tenant.caller, { name: "Pump" });
  const anomalyId = await addAnomaly(registry, tenant.caller, anomalous);
  const ticket = await registry.tickets.openTicket(tenant.caller, { title: "Runs hot", anomalyId });
  await registry.tickets.changeTicket(tenant.caller, ticket.id, { status: "in_progress" });
  const email = "ada@acme.example";
  await registry.access.createUser(await registry.access.systemCaller("acme"), { email, role: "admin" });
  await registry.access.createKey(await registry.access.systemCaller("acme"), {
    user: email,
    name: "x",
    scopes: ["devices:read"],
  });
});
after(() => registry.stop());

const newest = "(SELECT id FROM certificates WHERE revoked_at IS NULL ORDER BY issued_at DESC, id DESC LIMIT 1)";
const node =
  "INSERT INTO broker_nodes (id, started_at, beat_at, schema_number) VALUES (gen_random_uuid(), now(), now(), 1)";
const session = `INSERT INTO mqtt_sessions (client_id, session_id, seq, node_id, tenant_id, device_uid, certificate_id,
    remote_address, connected_at)
  SELECT c.device_id, gen_random_uuid(), 1, n.id, c.tenant_id, c.device_uid, c.id, '', now()
  FROM broker_nodes n, certificates c WHERE c.revocation_reason = 'requested' LIMIT 1`;
const copyOf = (
  columns: string,
  values: string,
) => `INSERT INTO certificates (id, tenant_id, device_uid, device_id, kind,
    serial_number, fingerprint_sha256, spki_sha256, der, subject, publish_topics, subscribe_topics, issued_at,
    not_before, not_after, issued_by ${columns})
  SELECT gen_random_uuid(), tenant_id, device_uid, device_id, kind, gen_random_uuid()::text, gen_random_uuid()::text,
    spki_sha256, der, subject, publish_topics, subscribe_topics, issued_at, not_before, not_after, issued_by ${values}
  FROM certificates WHERE kind = 'platform' AND revoked_at IS NULL`;
const noTriggers = "ALTER TABLE certificate_audit DISABLE TRIGGER USER";

/** Statements that break each invariant. */
const sabotage: Record<string, string[]> = {
  "a claim's uses are within its limit and equal its enrollments in the audit": [
    "UPDATE claims SET used_count = 0, status = 'pending'",
  ],
  "a device has at most two live bundles": [copyOf("", ""), copyOf("", "")],
  "no valid certificate has a blocked key": [
    `INSERT INTO blocked_keys SELECT spki_sha256, 'leaked', now() FROM certificates WHERE id = ${newest}`,
  ],
  "every certificate has exactly one issuing audit entry": [copyOf("", "")],
  "every issuing audit entry has its certificate": [
    noTriggers,
    "UPDATE certificate_audit SET certificate_id = gen_random_uuid() WHERE kind = 'device_cert_minted'",
  ],
  "every renewal has one revoked predecessor, and every predecessor one successor": [
    "UPDATE certificates SET revocation_reason = 'requested', superseded_by_id = NULL WHERE superseded_by_id IS NOT NULL",
  ],
  "serial numbers are unique": [
    "ALTER TABLE certificates DROP CONSTRAINT certificates_serial_number_key",
    "UPDATE certificates SET serial_number = '01'",
  ],
  "the live certificates of a device id belong to one tenant": [
    "INSERT INTO tenants VALUES (gen_random_uuid(), 'foreign', 'x', now())",
    `UPDATE certificates SET tenant_id = (SELECT id FROM tenants WHERE slug = 'foreign') WHERE id = ${newest}`,
  ],
  "the client id of a live certificate is reserved for its tenant until it expires": ["DELETE FROM client_ids"],
  "no session is open on a revoked certificate, except on one that was superseded": [
    node,
    "UPDATE certificates SET revoked_at = revoked_at - interval '1 hour' WHERE revocation_reason = 'requested'",
    session,
  ],
  "a client id has at most one session": [
    node,
    "ALTER TABLE mqtt_sessions DROP CONSTRAINT mqtt_sessions_pkey",
    session,
    session,
  ],
  "a revoked certificate stays revoked": [
    "ALTER TABLE certificates DISABLE TRIGGER USER",
    `UPDATE certificates SET revoked_at = NULL, revoked_by = NULL, revocation_reason = NULL
      WHERE revocation_reason = 'requested'`,
  ],
  "every revocation has its audit entry": [
    noTriggers,
    "DELETE FROM certificate_audit WHERE kind = 'device_cert_revoked'",
  ],
  "a deleted device has no live certificate": ["UPDATE devices SET deleted_at = now()"],
  "the topic of a rejected message is a publish topic of a certificate of its device": [
    `INSERT INTO rejected_messages (id, tenant_id, device_uid, at, topic, reason, payload)
      SELECT gen_random_uuid(), tenant_id, uid, now(), 't/acme/telemetry/another', '', '' FROM devices`,
  ],
  "the triggers that keep audit, revocations and ticket history unchanged are enabled": [noTriggers],
  "the ticket numbers of a tenant run from 1 to its last number without a gap": [
    "UPDATE tickets SET number = number + 1",
  ],
  "a deleted device has no unresolved anomaly and no threshold pack": [
    "ALTER TABLE devices DISABLE TRIGGER devices_deleted",
    "UPDATE devices SET deleted_at = now()",
  ],
  "a stored rule state belongs to a rule that is evaluated for its device": [
    "INSERT INTO rule_states SELECT uid, gen_random_uuid(), gen_random_uuid(), 'pending', now() FROM devices",
  ],
  "an unresolved anomaly belongs to a rule that is evaluated for its device": ["UPDATE thresholds SET enabled = false"],
  "the silence of every device seen so far is checked if its type limits it": [
    "UPDATE devices SET last_seen_at = now(), device_type_id = (SELECT id FROM device_types LIMIT 1)",
    "UPDATE device_types SET silent_for_seconds = 60",
    "DELETE FROM silence_checks",
    "DELETE FROM silence_rechecks",
  ],
  "an anomaly has at most one unfinished ticket and links to it": ["UPDATE anomalies SET ticket_id = NULL"],
  "the ticket that an anomaly links to is about this anomaly and its device": ["UPDATE tickets SET anomaly_id = NULL"],
  "the history of every ticket begins with its opening": [
    "ALTER TABLE ticket_history DISABLE TRIGGER USER",
    "DELETE FROM ticket_history",
  ],
  "every webhook that a group names has its record, and no other has one": [
    `INSERT INTO groups (id, tenant_id, name, channels, created_at, updated_at)
      SELECT gen_random_uuid(), id, 'x', '[{"type": "webhook", "target": "https://hook.example/"}]', now(), now() FROM tenants`,
    "DELETE FROM webhooks",
  ],
  "every API key that is not revoked belongs to an active user of its tenant": [
    "UPDATE users SET status = 'deactivated'",
  ],
  "every retained message has a publisher that may publish to its topic": [
    `INSERT INTO retained_messages (tenant_id, topic, owner_id, payload, qos, properties, bytes, version)
      SELECT id, 't/x/none', gen_random_uuid(), 'x', 1, '', 9, 1 FROM tenants LIMIT 1`,
  ],
  "stored list counts match the rows": [
    `INSERT INTO list_blocks (tenant_id, list, variant, upto, size)
      SELECT DISTINCT tenant_id, 'claims', status, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid,
        (count(*) OVER (PARTITION BY tenant_id, status))::int FROM claims`,
    "ALTER TABLE claims DISABLE TRIGGER claims_moved",
    "UPDATE claims SET status = 'revoked'",
  ],
};

const message = (
  state: string,
  times: string,
) => `INSERT INTO deliveries (id, tenant_id, type, channel, target, payload,
    state, created_at, next_at, done_at)
  SELECT gen_random_uuid(), id, 'anomaly.opened', 'email', 'ada@acme.example', '{}', '${state}', ${times} FROM tenants`;

/** Statements that make each check of a running service fail. */
const auditStream = `INSERT INTO audit_streams (tenant_id, kind, target, secret_seed, created_at, next_at, lost)
  SELECT id, 'https', 'https://siem.example/secret', '', now(), now(), 1 FROM tenants WHERE slug = 'acme'`;

const neglect: Record<string, string[]> = {
  "where an identity provider is required, an emergency admin can sign in without it": [
    `INSERT INTO oidc_providers (tenant_id, connection_id, issuer, client_id, client_secret, scopes, tested_at, enabled,
        by_operator, first_sign_in, rule, break_glass, mapping)
      SELECT id, gen_random_uuid(), 'https://login.example', 'muster', '', '{}', now(), true, false, 'refused',
        'break_glass', '{}', '[]' FROM tenants WHERE slug = 'acme'`,
  ],
  "no audit stream is an hour behind": [
    auditStream,
    `INSERT INTO audit_outbox (tenant_id, audit, at, entry)
      SELECT tenant_id, 'admin', now() - interval '99 years', '{}' FROM audit_streams`,
  ],
  "no audit stream has lost entries": [auditStream],
  "connections to PostgreSQL have the settings of the service": ["SET LOCAL jit = on"],
  "no broker node is drained": [
    "INSERT INTO broker_nodes (id, started_at, beat_at, draining_at, schema_number) VALUES (gen_random_uuid(), now(), now() + interval '99 years', now(), 1)",
  ],
  "notifications process events and escalation steps within 5 minutes": [
    "UPDATE notification_inbox SET at = at - interval '6 minutes'",
  ],
  "every partition of the ingest stream is stored within a minute": [
    "INSERT INTO stream_processes VALUES (gen_random_uuid(), 'stream', 'stream', now())",
  ],
  "no deletion of telemetry waits for an ingest stream that no process stores": [
    "UPDATE stream_partitions SET stream_id = 'left'",
    "INSERT INTO stream_processes VALUES (gen_random_uuid(), 'stream', 'stream', now() - interval '2 minutes')",
    "INSERT INTO telemetry_deletions (device_uid, due_at, passes_left) VALUES (gen_random_uuid(), now(), 1)",
  ],
  "messages are sent within 5 minutes of being due": [message("pending", "now(), now() - interval '1 hour', NULL")],
  "no message failed permanently in the last day": [message("failed", "now() - interval '20 hours', now(), now()")],
  "no group has a webhook that is disabled because it answered 410": [
    `INSERT INTO groups (id, tenant_id, name, channels, created_at, updated_at)
      SELECT gen_random_uuid(), id, 'x', '[{"type": "webhook", "target": "https://hook.example/secret"}]', now(), now()
        FROM tenants`,
    "INSERT INTO disabled_webhooks SELECT id, '', 'https://hook.example/secret', now() FROM tenants",
  ],
  "every channel of a group is confirmed by its receiver": [
    `INSERT INTO groups (id, tenant_id, name, channels, created_at, updated_at)
      SELECT gen_random_uuid(), id, 'x', '[{"type": "email", "target": "new@hook.example"}]', now(), now() FROM tenants`,
  ],
  "telemetry past its retention is dropped within a day": [
    "SELECT make_message_day(7::smallint, (now() - interval '12 days')::date)",
  ],
  "minute and hour roll-ups are computed within an hour of being due": [
    "INSERT INTO roll_up_marks SELECT uid, now(), now() - interval '3 hours' FROM devices",
  ],
};

class Rollback extends Error {}

/** Runs `work` in a transaction that is rolled back. */
async function rolledBack(work: (tx: Tx) => Promise<void>): Promise<void> {
  await registry.database.db
    .transaction()
    .execute(async (tx) => {
      await work(tx);
      throw new Rollback();
    })
    .catch((error) => {
      if (!(error instanceof Rollback)) throw error;
    });
}

async function violationsOf(tx: Tx, check: Check) {
  return await findViolations(tx, check, registry.clock.now());
}

async function examine(deep: boolean): Promise<Diagnosis> {
  return await createDoctor(registry).examine({ deep });
}

/** How many of the checks concern a database of this kind on which no stream is used. */
function concerned(checks: readonly Check[]): number {
  const { kind: own } = registry.database;
  return checks.filter(({ kind = own, condition }) => condition === undefined && kind === own).length;
}

test("data that the service wrote breaks no invariant", async () => {
  const { checks } = await examine(true);
  const broken = checks.filter((check) => !check.ok && !AVAILABILITY.some(({ name }) => name === check.name));
  assert.deepEqual(broken, []);
  assert.equal(checks.length, concerned([...AVAILABILITY, ...TIMELINESS, ...INVARIANTS, ...WARNINGS]) + 1);
});

test("the doctor of an embedded database does not mention PostgreSQL, and none mentions a stream that is not used", async () => {
  const names = async () => (await examine(false)).checks.map(({ name }) => name).join("\n");
  assert.equal(/PostgreSQL/.test(await names()), registry.database.kind === "postgres");
  assert.doesNotMatch(await names(), /ingest stream/);
  if (registry.database.kind === "embedded") return;
  const { db } = registry.database;
  await sql`INSERT INTO stream_processes VALUES (gen_random_uuid(), 'stream', 'stream', now())`.execute(db);
  assert.match(await names(), /every partition of the ingest stream/);
  await sql`DELETE FROM stream_processes`.execute(db);
});

test("every check has a sabotage here", () => {
  assert.deepEqual(Object.keys(sabotage).sort(), INVARIANTS.map(({ name }) => name).sort());
  assert.deepEqual(Object.keys(neglect).sort(), [...TIMELINESS, ...WARNINGS].map(({ name }) => name).sort());
});

for (const check of [...INVARIANTS, ...TIMELINESS, ...WARNINGS]) {
  test(`the doctor finds what breaks "${check.name}"`, async () => {
    await rolledBack(async (tx) => {
      assert.equal((await violationsOf(tx, check)).broken, 0);
      for (const statement of (sabotage[check.name] ?? neglect[check.name])!) await sql.raw(statement).execute(tx);
      const { broken, examples } = await violationsOf(tx, check);
      assert.ok(broken > 0);
      assert.ok(examples.length > 0 && examples.every((example) => example.length > 5));
      assert.ok(!examples.join().includes("secret"));
      for (const [time] of examples.join().matchAll(/\d{4}-\d\d-\d\d[^;,]*/g))
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
    });
  });
}

test("changes that are not yet added to a list block count as part of it", async () => {
  const check = INVARIANTS.find(({ name }) => name === "stored list counts match the rows")!;
  await rolledBack(async (tx) => {
    for (const statement of sabotage[check.name]!) {
      if (!statement.startsWith("ALTER")) await sql.raw(statement).execute(tx);
      assert.equal((await violationsOf(tx, check)).broken, 0);
    }
  });
});

test("the doctor finds a column that does not match the DER of its certificate", async () => {
  const certificates = () => registry.database.db.updateTable("certificates");
  const { not_after: true_ } = await registry.database.db
    .selectFrom("certificates")
    .select(["id", "not_after"])
    .where("kind", "=", "platform")
    .orderBy("id")
    .executeTakeFirstOrThrow();
  await certificates()
    .set({ not_after: new Date(true_.getTime() + 1000) })
    .where("not_after", "=", true_)
    .execute();
  const { healthy, checks } = await examine(true);
  assert.equal(healthy, false);
  const named = ({ name }: { name: string }) => name === "the columns of a certificate match its DER";
  const finding = checks.find(named);
  assert.match(finding?.examples[0] ?? "", /^certificate [0-9a-f-]{36}: not_after$/);
  await certificates().set({ not_after: true_ }).where("kind", "=", "platform").execute();
  assert.equal((await examine(true)).checks.find(named)?.ok, true);
});

test("without authorities or a broker node the service is not healthy, also when the examination is not deep", async () => {
  const { healthy, checks } = await examine(false);
  assert.equal(healthy, false);
  assert.equal(checks.length, concerned([...AVAILABILITY, ...TIMELINESS, ...WARNINGS]));
});

test("checks of features and warnings have the level should", async () => {
  const group = {
    name: "every group has a member",
    violations: async function* () {
      yield "group x";
    },
  };
  const { checks } = await createDoctor({ ...registry, featureChecks: [group] }).examine({ deep: true });
  const { name } = group;
  const found = checks.find((check) => check.name === name);
  assert.deepEqual(found, { name, level: "should", ok: false, broken: 1, examples: ["group x"] });
  const warnings = new Set([...WARNINGS.map((warning) => warning.name), name]);
  assert.ok(checks.every((check) => (check.level === "should") === warnings.has(check.name)));
});
