/**
 * A data folder that version 0.1 left (`fixtures/data-folder-0.1`), started by this version an hour later. On PostgreSQL its
 * rows are copied into a database at its schema first, as pg_dump and pg_restore do.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { makeCsr, makeKey } from "../../agent/src/csr.ts";
import { restore } from "../src/backup/backup.ts";
import { randomIds } from "../src/lib/ids.ts";
import { createLogger } from "../src/lib/logger.ts";
import { acceptAnyDate } from "./harness/certificate-dates.ts";
import { onPostgres } from "./harness/database.ts";
import { connectMqtt, redemption, type TestDevice } from "./harness/devices.ts";
import { type RunningService, type Unpacked, unpackInstallation } from "./harness/earlier-installation.ts";
import { https } from "./harness/https.ts";

const FIXTURE = join(import.meta.dirname, "fixtures/data-folder-0.1");

let earlier: Unpacked;
let server: RunningService;
let undo: () => void;

before(async () => {
  undo = acceptAnyDate();
  earlier = await unpackInstallation(FIXTURE, { onPostgres });
  server = await earlier.start();
});
after(async () => {
  await server?.stop();
  await earlier?.remove();
  undo();
});

const get = (tenant: string, path: string) =>
  https(`${server.httpUrl}/api/v1/${path}`, { ca: server.ca, headers: { "x-api-key": earlier.keys[tenant]! } });

const provision = (path: string, body: unknown, proof?: TestDevice) =>
  https(`${server.httpUrl}/api/provisioning/${path}`, { body, ca: server.ca, cert: proof?.fullchain, key: proof?.key });

/** Every invariant holds, once the service has caught up with what fell due while none was running. */
async function assertHealthy(): Promise<void> {
  let answer = await server.command("doctor", { deep: true });
  for (let turn = 1; !answer.healthy && turn < 40; turn++) {
    await setTimeout(500);
    answer = await server.command("doctor", { deep: true });
  }
  const { healthy, checks } = answer;
  assert.ok(healthy, JSON.stringify(checks.filter((check: { ok: boolean }) => !check.ok)));
}

/** Connects with what the device kept, publishes one reading and waits until it is stored. */
async function publishes(name: string, reading: Record<string, number>): Promise<void> {
  const device = earlier.devices[name]!;
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, JSON.stringify(reading), { qos: 1 });
  await client.endAsync();
  const { items } = await server.command("device.latest", { tenant: "acme", id: device.deviceId });
  const [[metric, value]] = Object.entries(reading) as [[string, number]];
  assert.equal(items.find((each: { metric: string }) => each.metric === metric).value, value);
}

/** The fields that records have got since, with the values of what there was before. */
const ADDED: Record<string, object> = { groups: { unconfirmedChannels: [] } };

/** An API key's record without what reading with the key changes. */
function unused(record: object): object {
  return { ...record, lastUsedAt: null, lastUsedAddress: null };
}

/** The fields that a record had when `then` was written: the shell shows more by now. */
function fieldsOf(record: object, then: object): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name in then));
}

test("the doctor finds every invariant held, asked of the whole database", assertHealthy);

for (const tenant of ["acme", "borealis"]) {
  test(`every list of ${tenant} holds the records that it held`, async () => {
    const lists = Object.entries(earlier.records[tenant]!).filter(([name]) => !/[. ]/.test(name));
    assert.equal(lists.length, 9);
    for (const [list, items] of lists) {
      const { status, text, json } = await get(tenant, `${list}?limit=200`);
      assert.equal(status, 200, text);
      const expected = items.map((item) => ({ ...item, ...ADDED[list] }));
      assert.deepEqual(json.items, expected, list);
      assert.equal(json.total, items.length, list);
    }
  });

  test(`users, keys, device types, readings and rejected messages of ${tenant} are as they were`, async () => {
    const answers = Object.entries(earlier.records[tenant]!).filter(([name]) => /^(user|key|device)/.test(name));
    for (const [asked, items] of answers.filter(([name]) => name !== "devices" && !name.startsWith("device-cert"))) {
      const [command, id] = asked.split(" ");
      const answer = await server.command(command!, id ? { tenant, id } : { tenant });
      const expected = items.map(unused);
      const had = answer.items.map((item: object, at: number) => fieldsOf(unused(item), expected[at]!));
      assert.deepEqual(had, expected, asked);
    }
  });

  test(`each ticket of ${tenant} has its history`, async () => {
    for (const ticket of earlier.records[tenant]!["each ticket"]!) {
      assert.deepEqual((await get(tenant, `tickets/${ticket.id}`)).json, ticket);
    }
  });
}

test("messages that were sent keep their record", async () => {
  const sent = earlier.records.acme!["notification.list"]!.filter(({ state }) => state === "sent");
  assert.ok(sent.length >= 4);
  const { items } = await server.command("notification.list", { tenant: "acme", limit: 200 });
  for (const each of sent) {
    assert.deepEqual(
      fieldsOf(
        items.find(({ id }: { id: string }) => id === each.id),
        each,
      ),
      each,
    );
  }
});

test("a renewed device and a bundle of then connect and publish", async () => {
  await publishes("pump1", { temperature: 62.5 });
  await publishes("gateway", { uptime: 3600 });
});

test("a superseded, a revoked, an expired and a deleted device's certificate are refused", async () => {
  for (const name of ["pump1 before 2026-11-02", "lost", "expired", "deleted"]) {
    await assert.rejects(connectMqtt(server, earlier.devices[name]!), name);
  }
});

test("a device of then renews", async () => {
  const key = await makeKey();
  const answer = await provision("cert/renew", { csr: makeCsr(key) }, earlier.devices.pump2);
  assert.equal(answer.status, 200, answer.text);
  const { clientCert, clientCertChain, serverCaBundle } = answer.json;
  const renewed = { ...earlier.devices.pump2!, key, fullchain: clientCert + clientCertChain, ca: serverCaBundle };
  (await connectMqtt(server, renewed)).end(true);
});

test("a claim that was pending enrolls, a revoked one does not, nor does a revoked key authenticate", async () => {
  const pending = await redemption(earlier.keys.pendingClaim!);
  assert.equal((await provision("claim", pending.body)).status, 200);
  const revoked = await redemption(earlier.keys.revokedClaim!);
  assert.equal((await provision("claim", revoked.body)).json.error, "claim_revoked");
  for (const key of ["revoked", "deactivated"]) assert.equal((await get(key, "devices")).status, 401);
  await assertHealthy();
});

/** PostgreSQL is backed up with its own tools (`backup.test.ts`). */
if (!onPostgres) {
  test("a backup of it is restored, and the device connects there", async () => {
    const file = join(earlier.dataDir, "earlier.backup");
    await server.command("backup", { file });
    await server.stop();
    const dataDir = join(earlier.dataDir, "restored");
    const deps = { dataDir, clock: server.clock, ids: randomIds, logger: createLogger("silent") };
    await restore(deps, file, { mode: "nothing-revoked-since" });
    server = await earlier.start(dataDir);
    await publishes("pump1", { temperature: 63.5 });
    await assertHealthy();
  });
}
