import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Caller } from "../../../src/access/access.ts";
import { REFUSAL_REASONS, type RefusalReason } from "../../../src/connections/connections.ts";
import { DAY, MINUTE } from "../../../src/lib/clock.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../src/lib/limits/limits.ts";
import { onPostgres, openTestDatabase } from "../../harness/database/database.ts";
import { ask } from "../../harness/database/postgres.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { testFeatures } from "../../harness/features.ts";

async function journals(t: TestContext, limits: Partial<Limits> = {}) {
  const database = await openTestDatabase();
  const clock = new FakeClock();
  const { access, connections } = testFeatures({ database, clock, limits: { ...DEFAULT_LIMITS, ...limits } });
  t.after(async () => {
    await database.close();
    await database.remove();
  });
  const tenant = async (slug: string) => {
    const { id } = await access.createTenant({ slug, name: slug });
    const caller = await access.systemCaller(slug);
    const list = (limit = 100) => connections.listRefusals(caller, { skip: 0, limit });
    return { id, caller, list };
  };
  const count = async () => {
    const [row] = await runSql<{ count: string }>(database.db, "SELECT count(*) AS count FROM connection_refusals");
    return Number(row!.count);
  };
  return { database, clock, connections, tenant, count };
}

/** Stores refusals a second apart, the newest now, without the journal; without a tenant if `tenantId` is null. */
async function store(
  { database, clock }: Pick<Awaited<ReturnType<typeof journals>>, "database" | "clock">,
  tenantId: string | null,
  count: number,
): Promise<void> {
  const chunk = 20_000;
  const prefix = randomUUID().slice(0, 24);
  for (let from = 0; from < count; from += chunk) {
    await runSql(
      database.db,
      `INSERT INTO connection_refusals (id, tenant_id, at, reason)
       SELECT concat($5::text, lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, $2::timestamptz - make_interval(secs => n), 'expired'
         FROM generate_series($3::int, $4::int) AS n`,
      [tenantId, clock.now(), from, Math.min(count, from + chunk) - 1, prefix],
    );
  }
}

test("repeated refusals of an address and reason are one count, separate from other tenants and addresses", async (t) => {
  const { clock, connections, tenant } = await journals(t, { refusalsPerAddress: 3 });
  const [acme, other] = [await tenant("acme"), await tenant("other")];
  const refuse = (tenantId: string, remoteAddress: string) =>
    connections.recordRefusal({ reason: "expired", tenantId, remoteAddress });
  for (let n = 0; n < 5_000; n++) refuse(acme.id, "203.0.113.1");
  refuse(acme.id, "203.0.113.2");
  refuse(other.id, "203.0.113.1");
  const { items, total } = await acme.list();
  assert.equal(total, 4);
  assert.deepEqual(items.map(({ occurrences }) => occurrences).sort(), [1, 1, 1, 4_998].sort());
  clock.advance(30_000);
  refuse(acme.id, "203.0.113.1");
  const [counted] = (await acme.list()).items.filter(({ occurrences }) => occurrences > 1);
  assert.equal(counted?.occurrences, 4_999);
  assert.equal(counted?.lastAt.getTime(), clock.now().getTime());
  clock.advance(MINUTE);
  refuse(acme.id, "203.0.113.1");
  assert.equal((await acme.list()).total, 5, "a new minute has an entry again");
  assert.deepEqual(
    (await other.list()).items.map(({ occurrences }) => occurrences),
    [1],
  );
});

test("the newest entries of each tenant stay, none of them older than 30 days", async (t) => {
  const environment = await journals(t, { refusalEntries: 100 });
  const { clock, connections, tenant, count } = environment;
  const [large, small] = [await tenant("large"), await tenant("small")];
  await store(environment, large.id, 5_000);
  await store(environment, small.id, 7);
  await store(environment, null, 4_200);
  await connections.prune();
  assert.deepEqual([await count(), (await small.list()).total], [207, 7]);
  const { items } = await large.list(200);
  assert.equal(items.length, 100);
  assert.equal(items.at(-1)!.at.getTime(), clock.now().getTime() - 99_000, "the oldest are gone");
  clock.advance(30 * DAY - 50_000);
  await connections.prune();
  assert.deepEqual([await count(), (await large.list()).total, (await small.list()).total], [51 + 7 + 51, 51, 7]);
  clock.advance(DAY);
  await connections.prune();
  assert.equal(await count(), 0);
});

test("delivered session drops are deleted after a day, in batches", async (t) => {
  const { database, clock, connections } = await journals(t);
  const add = (age: number, rows: number) =>
    runSql(
      database.db,
      `INSERT INTO session_drops (at, device_uid, reason, node_id)
       SELECT $1::timestamptz, gen_random_uuid(), 'test', gen_random_uuid() FROM generate_series(1, $2::int)`,
      [new Date(clock.now().getTime() - age), rows],
    );
  await add(2 * DAY, 7_000);
  await add(MINUTE, 3);
  await connections.prune();
  assert.equal((await runSql(database.db, "SELECT seq FROM session_drops")).length, 3);
  clock.advance(2 * DAY);
  await connections.prune();
  assert.equal((await runSql(database.db, "SELECT seq FROM session_drops")).length, 0);
});

test("refusals are filtered by device, certificate and reason, and users see those of their devices", async (t) => {
  const database = await openTestDatabase();
  const clock = new FakeClock();
  const { access, connections, devices, groups } = testFeatures({ database, clock });
  t.after(async () => {
    await database.close();
    await database.remove();
  });
  const { id: tenantId } = await access.createTenant({ slug: "seen", name: "Seen" });
  const shell = await access.systemCaller("seen");
  const { id: userId } = await access.createUser(shell, { email: "v@seen.example", role: "viewer" });
  const viewer: Caller = { ...shell, rights: { kind: "user", userId, role: "viewer" } };
  const group = await groups.createGroup(shell, { name: "Hall", memberUserIds: [userId] });
  await devices.createDevice(shell, { id: "in", name: "In", groupIds: [group.id] });
  await devices.createDevice(shell, { id: "out", name: "Out" });
  for (const deviceId of ["in", "out"])
    connections.recordRefusal({ reason: "no_chain", tenantId, deviceId, fingerprintSha256: `f-${deviceId}` });
  connections.recordRefusal({ reason: "expired", tenantId, deviceId: "out" });
  connections.recordRefusal({ reason: "bad_credentials", tenantId, clientId: "gateway" });
  const list = async (caller: Caller, query: object = {}) => {
    const { items, total } = await connections.listRefusals(caller, { skip: 0, limit: 10, ...query });
    assert.equal(items.length, total);
    return items.map(({ deviceId, reason }) => `${deviceId} ${reason}`).sort();
  };
  const everything = ["in no_chain", "out expired", "out no_chain", "undefined bad_credentials"];
  assert.deepEqual(await list(shell), everything);
  assert.deepEqual(await list({ ...viewer, rights: { kind: "user", userId, role: "admin" } }), everything);
  assert.deepEqual(await list(shell, { deviceId: "out" }), ["out expired", "out no_chain"]);
  assert.deepEqual(await list(shell, { fingerprintSha256: "f-out" }), ["out no_chain"]);
  assert.deepEqual(await list(shell, { reason: "expired", deviceId: "in" }), []);
  assert.deepEqual(await list(viewer), ["in no_chain"]);
  assert.deepEqual(await list(viewer, { deviceId: "out" }), []);
});

test("every symptom and every refusal gives its cause and remedy in sentences", async (t) => {
  const { connections, tenant } = await journals(t);
  const acme = await tenant("acme");
  const reasons = Object.keys(REFUSAL_REASONS) as RefusalReason[];
  for (const reason of reasons) connections.recordRefusal({ reason, tenantId: acme.id, remoteAddress: "203.0.113.1" });
  const { items } = await acme.list();
  assert.deepEqual(new Set(items.map(({ reason }) => reason)), new Set(reasons));
  const symptoms = await connections.listSymptoms(acme.caller);
  for (const { cause, cure } of [...items, ...symptoms]) {
    assert.match(cause, /^[A-Z].*\.$/);
    assert.match(cure, /^[A-Z].*\.$/);
  }
});

// The embedded database takes too long to store so many.
if (onPostgres)
  test("half a million refusals are pruned by statements that all end in time", { timeout: 240_000 }, async (t) => {
    const { database, connections, tenant, count } = await journals(t);
    const { id } = await tenant("attacked");
    await ask(
      database.url!,
      `DROP INDEX connection_refusals_tenant;
     ALTER TABLE connection_refusals DROP CONSTRAINT connection_refusals_pkey,
       DROP CONSTRAINT connection_refusals_tenant_id_fkey`,
    );
    // Transactions are small: a long one would keep concurrent tests in the same cluster from seeing new events.
    for (let first = 1; first < 500_000; first += 50_000) {
      await ask(
        database.url!,
        `INSERT INTO connection_refusals (id, tenant_id, at, reason)
         SELECT concat('00000000-0000-7000-8000-', lpad(to_hex(n), 12, '0'))::uuid, CASE WHEN n % 4 > 0 THEN '${id}'::uuid END,
                date_trunc('second', now()) - interval '500000 ms' + make_interval(secs => n / 1000.0), 'expired'
           FROM generate_series(${first}, ${first + 49_999}) AS n`,
      );
    }
    await ask(
      database.url!,
      `ALTER TABLE connection_refusals ADD PRIMARY KEY (id), ADD FOREIGN KEY (tenant_id) REFERENCES tenants(id);
     CREATE INDEX connection_refusals_tenant ON connection_refusals (tenant_id, at DESC, id DESC)`,
    );
    assert.equal(await count(), 500_000);
    await connections.prune();
    assert.equal(await count(), 2 * DEFAULT_LIMITS.refusalEntries);
  });
