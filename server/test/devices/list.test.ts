import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type SqlBool, sql } from "kysely";
import { DEVICE_ORDERS, type DeviceOrder, type DeviceQuery, type DeviceRecord } from "../../src/devices/devices.ts";
import { listDeviceRows } from "../../src/devices/list/device-list-store.ts";
import { addMs, DAY, MINUTE } from "../../src/lib/clock.ts";
import type { Walk } from "../../src/lib/page.ts";
import { oneLongSearch } from "../../src/lists/long-searches.ts";
import { nextSortedPart } from "../../src/lists/sorted-walk.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { addTenant, enroll, startRegistry, type Tenant } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
let tenant: Tenant;
let otherTypeId: string;
let groupIds: string[];
/** Newest first. */
let all: DeviceRecord[];

before(async () => {
  registry = await startRegistry();
  tenant = await addTenant(registry);
  await addDevices(await addTenant(registry));
  await addDevices(tenant);
  all = (await list({})).items;
});
after(() => registry.stop());

/** Devices of every certificate state and connectivity, of two types and none, in groups and in none. */
async function addDevices({ caller, deviceTypeId, slug }: Tenant): Promise<void> {
  const { devices, enrollment, groups, certificates, clock } = registry;
  const page = { skip: 0, limit: 1 };
  const another = await devices.createDeviceType(caller, { name: "Valve", publishTopics: [] });
  otherTypeId = another.id;
  const [hall, roof] = [
    await groups.createGroup(caller, { name: "Hall" }),
    await groups.createGroup(caller, { name: "Roof" }),
  ];
  groupIds = [hall.id, roof.id];
  await devices.createDevice(caller, { id: "none", name: "Gate", groupIds: [hall.id] });
  for (const id of ["expired", "revoked"]) await bundled(id, "alpha", deviceTypeId);
  const [certificate] = (await certificates.listCertificates(caller, { deviceId: "revoked", ...page })).items;
  await enrollment.revokeCertificate(caller, certificate!.id);
  clock.advance(355 * DAY);
  await bundled("expiring", "Beta", another.id);
  clock.advance(340 * DAY);
  await enroll(registry, { caller, deviceTypeId, slug });
  clock.advance(22 * DAY);
  await bundled("active", "beta", another.id, [hall.id, roof.id]);
  await connect("active", "online", clock.now());
  await connect("expiring", "offline", addMs(clock.now(), -MINUTE));
  await connect("revoked", "offline", addMs(clock.now(), -DAY));

  async function bundled(id: string, name: string, type: string, memberOf: string[] = []) {
    clock.advance(1);
    await devices.createDevice(caller, { id, name, deviceTypeId: type, groupIds: memberOf });
    // A client id has one owner among the tenants.
    await runSql(registry.database.db, "DELETE FROM client_ids WHERE client_id = $1", [id]);
    await enrollment.issueBundle(caller, { deviceId: id });
  }
  async function connect(id: string, connectivity: string, at: Date) {
    await runSql(
      registry.database.db,
      "UPDATE devices SET connectivity = $3, last_seen_at = $4 WHERE tenant_id = $1 AND id = $2",
      [caller.tenantId, id, connectivity, at],
    );
  }
}

function list(query: Partial<DeviceQuery>) {
  return registry.devices.listDevices(tenant.caller, { skip: 0, limit: 50, ...query });
}

async function ids(query: Partial<DeviceQuery>): Promise<string[]> {
  const { items, total } = await list(query);
  assert.equal(total, items.length);
  return items.map(({ id }) => id);
}

function matching(condition: (device: DeviceRecord) => boolean): string[] {
  return all.filter(condition).map(({ id }) => id);
}

test("the devices have every certificate state", () => {
  assert.deepEqual(new Set(all.map(({ certificateState }) => certificateState)), new Set(STATES));
});

const STATES = ["none", "active", "renewal_due", "expiring", "expired", "revoked"] as const;
const CONNECTIVITY = ["never_seen", "online", "offline"] as const;

test("a list is filtered by devices that have a property, and by those that lack it", async () => {
  const [hall, roof] = groupIds;
  const cases: [DeviceQuery["not"], (device: DeviceRecord) => boolean][] = [
    ...STATES.map((state): (typeof cases)[0] => [{ certificateState: state }, (d) => d.certificateState === state]),
    ...CONNECTIVITY.map((each): (typeof cases)[0] => [{ connectivity: each }, (d) => d.connectivity.status === each]),
    [{ connectivity: ["online", "offline"] }, (d) => d.connectivity.status !== "never_seen"],
    [
      { certificateState: ["expired", "revoked"] },
      (d) => d.certificateState === "expired" || d.certificateState === "revoked",
    ],
    [{ deviceTypeId: otherTypeId }, (d) => d.deviceTypeId === otherTypeId],
    [{ deviceTypeId: null }, (d) => d.deviceTypeId === null],
    [{ groupId: hall! }, (d) => d.groupIds.includes(hall!)],
    [{ groupId: roof!, connectivity: "online" }, (d) => d.groupIds.includes(roof!)],
    [{ groupId: null }, (d) => d.groupIds.length === 0],
    [{ deviceTypeId: "no-such-type" }, () => false],
  ];
  for (const [property, condition] of cases) {
    const what = JSON.stringify(property);
    assert.deepEqual(await ids({ ...property }), matching(condition), what);
    if (Object.keys(property!).length === 1)
      assert.deepEqual(
        await ids({ not: property }),
        matching((d) => !condition(d)),
        `not ${what}`,
      );
  }
});

test("a list is filtered by when devices were last seen", async () => {
  const from = addMs(registry.clock.now(), -2 * MINUTE);
  const seen = (condition: (at: Date) => boolean) => matching((d) => d.lastSeenAt !== null && condition(d.lastSeenAt));
  assert.deepEqual(
    await ids({ seenFrom: from }),
    seen((at) => at >= from),
  );
  assert.deepEqual(
    await ids({ seenBefore: from }),
    seen((at) => at < from),
  );
  assert.deepEqual(await ids({ seenFrom: from, not: { connectivity: "online" } }), ["expiring"]);
});

test("a list is filtered by when devices were created", async () => {
  const { createdAt } = all[2]!;
  assert.deepEqual(
    await ids({ createdFrom: createdAt }),
    matching((d) => d.createdAt >= createdAt),
  );
  assert.deepEqual(
    await ids({ createdBefore: createdAt }),
    matching((d) => d.createdAt < createdAt),
  );
  assert.deepEqual(await ids({ createdFrom: createdAt, createdBefore: addMs(createdAt, 1) }), [all[2]!.id]);
});

test("a list is sorted in both directions, missing values last, and paged in that order", async () => {
  const values: Record<DeviceOrder, (device: DeviceRecord) => string | number | undefined> = {
    id: ({ id }) => id,
    name: ({ name }) => name.toLowerCase(),
    createdAt: ({ createdAt }) => createdAt.getTime(),
    lastSeenAt: ({ lastSeenAt }) => lastSeenAt?.getTime(),
    certificateExpiresAt: ({ id }) => ["expired", "expiring", "revoked", "none"].indexOf(id),
  };
  for (const by of ["id", "name", "createdAt", "lastSeenAt"] as const)
    for (const descending of [false, true]) {
      const value = values[by];
      const known = all.filter((device) => value(device) !== undefined);
      const order = known.toSorted((one, other) =>
        value(one)! < value(other)! ? -1 : value(one)! > value(other)! ? 1 : 0,
      );
      // Equal devices stay newest first.
      const groups = [...Map.groupBy(order, (device) => value(device)).values()];
      const expected = (descending ? groups.toReversed() : groups).flat();
      const unknown = all.filter((device) => value(device) === undefined);
      const sorted = [...expected, ...unknown].map(({ id }) => id);
      const sort = { by, descending };
      assert.deepEqual(await ids({ sort }), sorted, `${by} ${descending}`);
      const second = await list({ sort, skip: 2, limit: 2 });
      assert.deepEqual([second.total, second.items.map(({ id }) => id)], [all.length, sorted.slice(2, 4)], by);
    }
  const byExpiry = await ids({ sort: { by: "certificateExpiresAt", descending: false } });
  assert.deepEqual(byExpiry.slice(0, 2), ["expired", "expiring"]);
  assert.deepEqual(new Set(byExpiry.slice(-2)), new Set(["revoked", "none"]));
});

test("an order without an index waits for its turn among the tenant's searches, and other lists do not", async () => {
  const { promise: search, resolve: endSearch } = Promise.withResolvers<void>();
  const running = oneLongSearch(registry.database.db, tenant.caller.tenantId, () => search);
  let isSorted = false;
  const byName = ids({ sort: { by: "name", descending: false } }).then(() => {
    isSorted = true;
  });
  await ids({ sort: { by: "id", descending: false } });
  await ids({});
  assert.equal(isSorted, false);
  endSearch();
  await Promise.all([running, byName]);
});

test("a search is filtered and sorted like a list", async () => {
  const sort = { by: "id", descending: false } as const;
  assert.deepEqual(await ids({ q: "BETA" }), ["active", "expiring"]);
  assert.deepEqual(await ids({ q: "e", sort }), matching(({ id, name }) => /e/i.test(id + name)).sort());
  assert.deepEqual(await ids({ q: "beta", sort, certificateState: "expiring" }), ["expiring"]);
});

test("a list counted only a little ahead has the same pages, and reports when its total is a lower bound", async () => {
  const by = { descending: false } as const;
  const queries: Partial<DeviceQuery>[] = [
    {},
    { connectivity: ["never_seen", "offline"] },
    { not: { certificateState: "active" } },
    { q: "e" },
    { sort: { by: "name", ...by } },
    { sort: { by: "id", ...by }, not: { connectivity: "online" } },
  ];
  for (const query of queries)
    for (const [skip, limit, countAhead] of [
      [0, 1, 0],
      [0, 2, 1],
      [1, 2, 1],
      [2, 1, 50],
      [40, 2, 1],
    ] as const) {
      const what = JSON.stringify([query, skip, limit, countAhead]);
      const exact = await list({ ...query, skip, limit });
      const ahead = await list({ ...query, skip, limit, countAhead });
      assert.deepEqual(ahead.items, exact.items, what);
      assert.equal(exact.totalIsAtLeast, undefined, what);
      const isCut = Boolean(ahead.totalIsAtLeast);
      assert.ok(ahead.total === exact.total || (isCut && ahead.total < exact.total), what);
      assert.ok(!isCut || ahead.total >= skip + limit + countAhead, what);
    }
  const cut = await list({ not: { connectivity: "online" }, limit: 1, countAhead: 1 });
  assert.deepEqual([cut.total, cut.totalIsAtLeast], [2, true]);
  assert.deepEqual((await list({ limit: 1, countAhead: 1 })).total, all.length);
});

test("a user sees the devices of each of their groups once, however the list is filtered and sorted", async () => {
  const { caller } = tenant;
  const tenantId = caller.tenantId;
  const { id: userId } = await registry.access.createUser(caller, { email: `${tenantId}@example.com`, role: "viewer" });
  const viewer = { ...caller, rights: { kind: "user", userId, role: "viewer" } } as const;
  const seen = async (query: Partial<DeviceQuery>) => {
    const { items, total } = await registry.devices.listDevices(viewer as never, { skip: 0, limit: 50, ...query });
    assert.equal(total, items.length);
    return items.map(({ id }) => id);
  };
  assert.deepEqual(await seen({}), []);
  for (const id of groupIds)
    await runSql(registry.database.db, "INSERT INTO group_members (group_id, user_id) VALUES ($1, $2)", [id, userId]);
  const visible = (device: DeviceRecord) => device.groupIds.length > 0;
  assert.deepEqual(await seen({}), matching(visible));
  assert.deepEqual(await seen({ sort: { by: "id", descending: false } }), matching(visible).sort());
  assert.deepEqual(await seen({ connectivity: "online" }), ["active"]);
  assert.deepEqual(await seen({ q: "ate" }), ["none"]);
  // For users who see many devices, groups are looked up only for devices that match the text.
  for (const manySeen of [0, 1_000]) {
    const listing = { filter: { viewer: { groupIds } }, q: "e" };
    const { db } = registry.database;
    const { rows, total } = await listDeviceRows(db, tenantId, listing, { skip: 0, limit: 50 }, new Date(), manySeen);
    const expected = matching((device) => visible(device) && /e/i.test(device.id + device.name));
    assert.deepEqual([total, rows.map(({ id }) => id)], [expected.length, expected], `${manySeen}`);
  }
});

test("a walk in an order without an index reads the keys of several parts at once, and omits deleted devices", async () => {
  const { db } = registry.database;
  const by = { by: sql`d.last_seen_at`, type: "timestamptz", descending: true, nullable: true } as const;
  const walked = { list: "devices", as: "d", columns: sql`d.id`, by } as const;
  const sorted = await ids({ sort: { by: "lastSeenAt", descending: true } });
  for (const keys of [1, 2, 3, 50]) {
    const found: string[] = [];
    const walk: Walk = {};
    for (let part = 0; !walk.ended; part++) {
      const gone = keys === 3 && part === 1 ? sql<SqlBool>`d.id <> ${sorted[2]}` : undefined;
      const request = { skip: 0, limit: 2, walk };
      const { rows } = await nextSortedPart<{ id: string }>(
        db,
        tenant.caller.tenantId,
        { ...walked, where: gone },
        request,
        keys,
      );
      found.push(...rows.map(({ id }) => id));
    }
    assert.deepEqual(
      found,
      sorted.filter((id) => keys !== 3 || id !== sorted[2]),
      `${keys} keys at once`,
    );
  }
});

/** Returns the ids of a whole list, read in parts of two rows. */
async function walked(query: Partial<DeviceQuery>): Promise<string[]> {
  const found: string[] = [];
  for (const walk: Walk = {}; !walk.ended; ) {
    const { items, total } = await list({ ...query, limit: 2, walk });
    assert.ok(items.length <= 2 && total === 0);
    found.push(...items.map(({ id }) => id));
  }
  return found;
}

test("a walk in parts of two rows has every row of the list once, in order", async () => {
  const sorts = DEVICE_ORDERS.flatMap((by) => [false, true].map((descending) => ({ by, descending })));
  const filters: Partial<DeviceQuery>[] = [
    {},
    { connectivity: "offline" },
    { not: { groupId: null } },
    { q: "e" },
    { q: "e", not: { connectivity: "offline" } },
    { deviceTypeId: otherTypeId, q: "nothing of this name" },
  ];
  for (const filter of filters)
    for (const sort of [undefined, ...sorts])
      assert.deepEqual(
        await walked({ ...filter, sort }),
        await ids({ ...filter, sort }),
        JSON.stringify({ filter, sort }),
      );
});
