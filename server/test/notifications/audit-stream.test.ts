import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, HOUR, SECOND } from "../../src/lib/clock.ts";
import { signatureHeaders } from "../../src/notifications/webhooks/webhook-secret.ts";
import { rsyslog, syslogNg } from "../harness/audit-receivers/programs.ts";
import { distinct, type Entry, newReceiver } from "../harness/audit-receivers/receiver.ts";
import { onPostgres } from "../harness/database/database.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { type Sinks, startSinks } from "../harness/http/sinks.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** The audits of a tenant at receivers: over their absence, and over a kill of the service. */
let sinks: Sinks;
let server: TestServer;

before(async () => {
  sinks = await startSinks();
  server = await startServer({ env: sinks.env });
});
after(async () => {
  await server.stop();
  await sinks.stop();
});

const streams = (at = server) => at.app.notifications;

/** Records an entry of the administrative audit. */
async function act({ caller }: TestTenant, name: string): Promise<void> {
  await server.app.groups.createGroup(caller, { name });
}

/** Delivers until nothing waits. */
async function delivered({ caller }: TestTenant): Promise<void> {
  const done = await eventually(async () => {
    server.clock.advance(5 * 60_000);
    await streams().tickAuditStreams();
    await streams().auditStreamsIdle();
    return (await streams().getAuditStream(caller))!.waiting === 0;
  });
  assert.equal(done, true, JSON.stringify(await streams().getAuditStream(caller)));
}

async function failedOnce({ caller }: TestTenant): Promise<string> {
  const error = await eventually(async () => {
    await streams().tickAuditStreams();
    await streams().auditStreamsIdle();
    return (await streams().getAuditStream(caller))!.lastError ?? undefined;
  });
  return error!;
}

const linesAt = (path: string): Entry[] =>
  sinks.hooksAt(path).flatMap(({ body }) =>
    body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );

const names = (entries: readonly Entry[]) =>
  entries.filter(({ act }) => act === "group.create").map(({ after }) => after?.name);

async function audited({ caller }: TestTenant): Promise<string[]> {
  const { items } = await server.app.access.listAdminActs(caller, { act: "group.", skip: 0, limit: 100 });
  return items.map(({ id }) => id).reverse();
}

test("every entry arrives in order, signed, and while the receiver is away nothing is lost", async () => {
  const [tenant, other] = [await newTenant(server), await newTenant(server)];
  const target = sinks.hookUrl(`/service/${tenant.slug}`);
  const { secret } = await streams().setAuditStream(tenant.caller, { kind: "https", target });
  await act(tenant, "one");
  await act(other, "foreign");
  await delivered(tenant);
  sinks.behave.service = () => ({ status: 503 });
  await act(tenant, "two");
  assert.equal(await failedOnce(tenant), "answered 503");
  await act(tenant, "three");
  server.clock.advance(HOUR);
  sinks.behave.service = () => ({ status: 204 });
  await delivered(tenant);
  const entries = linesAt(`/service/${tenant.slug}`);
  assert.deepEqual(names(distinct(entries)), ["one", "two", "three"]);
  assert.ok(entries.length > distinct(entries).length, "a repeated entry has the id of the first");
  const ids = new Set(entries.map(({ id }) => id));
  assert.deepEqual(
    (await audited(tenant)).filter((id) => !ids.has(id)),
    [],
  );
  const { headers, body } = sinks.hooksAt(`/service/${tenant.slug}`).at(-1)!;
  const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const signed = signatureHeaders([secret!], headers["webhook-id"]!, at, body);
  assert.equal(headers["webhook-signature"], signed["webhook-signature"]);
  assert.equal((await streams().getAuditStream(tenant.caller))!.lastError, null);
});

test("an OpenTelemetry collector gets log records that name the tenant", async () => {
  const tenant = await newTenant(server);
  await streams().setAuditStream(tenant.caller, { kind: "otlp", target: sinks.hookUrl("/service/otlp/v1/logs") });
  await act(tenant, "metered");
  await delivered(tenant);
  const records = sinks.hooksAt("/service/otlp/v1/logs").flatMap(({ body }) => {
    const [{ resource, scopeLogs }] = JSON.parse(body).resourceLogs;
    assert.deepEqual(resource.attributes[1], { key: "muster.tenant", value: { stringValue: tenant.slug } });
    return scopeLogs[0].logRecords;
  });
  const entries: Entry[] = records.map((record: { body: { stringValue: string } }) =>
    JSON.parse(record.body.stringValue),
  );
  assert.deepEqual(names(distinct(entries)), ["metered"]);
});

test("a collector that claims to refuse more entries than it got does not stop the stream", async () => {
  const tenant = await newTenant(server);
  const body = JSON.stringify({ partialSuccess: { rejectedLogRecords: Number.MAX_SAFE_INTEGER } });
  await streams().setAuditStream(tenant.caller, { kind: "otlp", target: sinks.hookUrl("/service/boastful") });
  await act(tenant, "refused");
  sinks.behave.service = () => ({ status: 200, body });
  try {
    await delivered(tenant);
  } finally {
    sinks.behave.service = () => ({ status: 200 });
  }
  assert.equal(
    (await streams().getAuditStream(tenant.caller))!.lost,
    2,
    "the entry of the stream itself, and the group",
  );
});

test("entries that no receiver takes within 30 days are dropped, counted and logged as an error", async () => {
  const tenant = await newTenant(server);
  const target = "https://127.0.0.1:1/";
  await streams().setAuditStream(tenant.caller, { kind: "https", target });
  await act(tenant, "late");
  assert.match(await failedOnce(tenant), /ECONNREFUSED/);
  server.clock.advance(31 * DAY);
  await streams().pruneAuditStreams();
  const { lost, waiting } = (await streams().getAuditStream(tenant.caller))!;
  assert.deepEqual([lost, waiting], [2, 0], "the entry of the stream itself, and the group");
  assert.ok(server.logs.some((line) => line.includes("were dropped") && line.includes('"level":"error"')));
});

test("private addresses are refused unless the operator allows them, and targets must fit their protocol", async () => {
  const guarded = await startServer();
  try {
    const tenant = await newTenant(guarded);
    for (const [kind, target] of [
      ["https", "http://siem.example.com/"],
      ["syslog", "https://siem.example.com/"],
      ["otlp", "nonsense"],
    ] as const)
      await assert.rejects(streams(guarded).setAuditStream(tenant.caller, { kind, target }), {
        code: "invalid_request",
      });
    await streams(guarded).setAuditStream(tenant.caller, { kind: "syslog", target: "syslogs://127.0.0.1:6514" });
    await streams(guarded).tickAuditStreams();
    const refused = await eventually(async () => (await streams(guarded).getAuditStream(tenant.caller))!.lastError);
    assert.match(refused ?? "", /not on the public internet/);
  } finally {
    await guarded.stop();
  }
});

if (onPostgres)
  test("two processes deliver every entry, in order", async () => {
    const second = await startServer({ share: server, env: sinks.env });
    try {
      const tenant = await newTenant(server);
      const path = `/service/${tenant.slug}`;
      await streams().setAuditStream(tenant.caller, { kind: "https", target: sinks.hookUrl(path) });
      for (let n = 0; n < 30; n++) {
        await act(tenant, `group ${n}`);
        await Promise.all([streams().tickAuditStreams(), streams(second).tickAuditStreams()]);
      }
      await streams(second).auditStreamsIdle();
      await delivered(tenant);
      const expected = Array.from({ length: 30 }, (_, n) => `group ${n}`);
      assert.deepEqual(names(distinct(linesAt(path))), expected);
    } finally {
      await second.stop();
    }
  });

/** Each is in CI; elsewhere its test is skipped without the program. */
const RECEIVERS = { rsyslog, "syslog-ng": syslogNg };

for (const [name, program] of Object.entries(RECEIVERS))
  test(`${name} receives every entry over TLS, over an hour's absence and a stop of it`, {
    skip: !program && `${name} is not installed`,
  }, async () => {
    const receiver = await newReceiver(program!);
    try {
      const tenant = await newTenant(server);
      await streams().setAuditStream(tenant.caller, receiver.stream);
      await act(tenant, "before");
      await failedOnce(tenant);
      await receiver.start();
      await act(tenant, "during");
      await delivered(tenant);
      await receiver.stop();
      await act(tenant, "away");
      await failedOnce(tenant);
      server.clock.advance(HOUR);
      await act(tenant, "later");
      await receiver.start();
      await act(tenant, "after");
      await delivered(tenant);
      const wanted = ["before", "during", "away", "later", "after"];
      const all = await eventually(async () => {
        const found = distinct(await receiver.entries());
        return names(found).length === wanted.length && found;
      });
      assert.deepEqual(names(all || []), wanted);
    } finally {
      await receiver.remove();
    }
  });

test("metrics show the lag of streams, and what was delivered", async () => {
  const tenant = await newTenant(server);
  await streams().setAuditStream(tenant.caller, { kind: "https", target: "https://127.0.0.1:1/" });
  await act(tenant, "waiting");
  await failedOnce(tenant);
  server.clock.advance(HOUR + SECOND);
  const text = await server.app.metrics.text();
  const value = (name: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  assert.ok(value("muster_audit_stream_oldest_seconds") >= 3_600, text);
  assert.ok(value("muster_audit_stream_waiting") >= 1);
  assert.ok(value('muster_audit_stream_deliveries_total{kind="https",result="failed"}') >= 1);
  assert.ok(value('muster_audit_stream_entries_total{result="sent"}') >= 1);
  const { checks } = await server.app.doctor.examine({ deep: false });
  const behind = checks.find(({ name }) => name === "no audit stream is an hour behind")!;
  assert.match(behind.examples.join(), new RegExp(`tenant ${tenant.slug}, https to 127.0.0.1:1.*ECONNREFUSED`));
});
