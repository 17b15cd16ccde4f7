import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DAY, HOUR } from "../../src/lib/clock.ts";
import { signatureHeaders } from "../../src/notifications/webhooks/webhook-secret.ts";
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

interface Entry {
  id: string;
  act?: string;
  after?: { name?: string };
}
const linesAt = (path: string): Entry[] =>
  sinks.hooksAt(path).flatMap(({ body }) =>
    body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );

/** Returns the entries in the order in which they first arrived. */
function distinct(entries: readonly Entry[]): Entry[] {
  const seen = new Map(entries.toReversed().map((entry) => [entry.id, entry]));
  return [...new Set(entries.map(({ id }) => id))].map((id) => seen.get(id)!);
}

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

const RSYSLOG = ["/usr/sbin/rsyslogd", "/usr/bin/rsyslogd"].find((path) => existsSync(path));

test("rsyslog receives every entry over TLS, over its absence and a stop of it", {
  skip: !RSYSLOG && "rsyslog is not installed",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-rsyslog-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync(
    "openssl",
    ["req", "-x509", ...ec, "-nodes", "-days", "3650", ...subject, "-keyout", key, "-out", cert],
    {
      stdio: "ignore",
    },
  );
  const port = await freePort();
  const received = join(folder, "received");
  let process: ChildProcess | undefined;
  const start = async () => {
    await writeFile(join(folder, "rsyslog.conf"), rsyslogConf({ folder, cert, key, port, received }));
    process = spawn(RSYSLOG!, ["-n", "-f", join(folder, "rsyslog.conf"), "-i", join(folder, "pid")], {
      stdio: "ignore",
    });
  };
  const stop = async () => {
    if (!process) return;
    const exited = new Promise((done) => process!.once("exit", done));
    process.kill("SIGTERM");
    await exited;
    process = undefined;
  };
  const entries = async (): Promise<Entry[]> =>
    (await readFile(received, "utf8").catch(() => ""))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  try {
    const tenant = await newTenant(server);
    const stream = {
      kind: "syslog",
      target: `syslogs://localhost:${port}`,
      caPem: await readFile(cert, "utf8"),
    } as const;
    await streams().setAuditStream(tenant.caller, stream);
    await act(tenant, "before");
    await failedOnce(tenant);
    await start();
    await act(tenant, "during");
    await delivered(tenant);
    await stop();
    await act(tenant, "away");
    await failedOnce(tenant);
    await start();
    await act(tenant, "after");
    await delivered(tenant);
    const wanted = ["before", "during", "away", "after"];
    const all = await eventually(async () => {
      const found = distinct(await entries());
      return names(found).length === wanted.length && found;
    });
    assert.deepEqual(names(all ?? []), wanted);
  } finally {
    await stop();
    await rm(folder, { recursive: true });
  }
});

function rsyslogConf(of: { folder: string; cert: string; key: string; port: number; received: string }): string {
  return `
global(workDirectory="${of.folder}" maxMessageSize="64k" defaultNetstreamDriver="ossl"
  defaultNetstreamDriverCAFile="${of.cert}" defaultNetstreamDriverCertFile="${of.cert}" defaultNetstreamDriverKeyFile="${of.key}")
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="text" type="string" string="%msg%\\n")
input(type="imtcp" port="${of.port}" address="127.0.0.1")
action(type="omfile" file="${of.received}" template="text")
`;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}
