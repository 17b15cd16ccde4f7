import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { contains } from "../../src/lists/counted-page.ts";
import { searchPage } from "../../src/lists/search-page.ts";
import { addTenant, startRegistry, type Tenant } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
let tenant: Tenant;
/** Newest first. */
const names: string[] = [];

before(async () => {
  registry = await startRegistry();
  tenant = await addTenant(registry);
  const other = await addTenant(registry);
  for (let n = 1; n <= 30; n++) {
    const name = n % 3 === 0 ? `Pump ${n}` : `Valve ${n}`;
    names.unshift(name);
    await registry.devices.createDevice(tenant.caller, { name, id: `d-${n}` });
    await registry.devices.createDevice(other.caller, { name, id: `d-${n}` });
  }
});
after(() => registry.stop());

async function search(q: string, page: { skip: number; limit: number }, step: number, most?: number) {
  const matches = sql`(${contains("d.name", q)} OR ${contains("d.id", q)})`;
  const searched = { list: "devices", as: "d", columns: sql`d.name`, matches } as const;
  const { db } = registry.database;
  const { rows, total } = await searchPage<{ name: string }>(db, tenant.caller.tenantId, searched, page, {
    step,
    ...(most === undefined ? {} : { most }),
  });
  return { names: rows.map(({ name }) => name), total };
}

test("whatever the step, a search finds the same page and the same total", async () => {
  for (const q of ["pump", "Valve 2", "d-1", "30", "none of them", "%"]) {
    const id = (name: string) => `d-${name.split(" ")[1]}`;
    const expected = names.filter((name) => name.toLowerCase().includes(q.toLowerCase()) || id(name).includes(q));
    for (const step of [4, 30, 31])
      for (const [skip, limit] of [
        [0, 50],
        [0, 3],
        [2, 4],
        [9, 2],
        [40, 5],
      ] as const)
        assert.deepEqual(
          await search(q, { skip, limit }, step),
          { names: expected.slice(skip, skip + limit), total: expected.length },
          `${q} in steps of ${step}, ${skip}+${limit}`,
        );
  }
});

test("a search that would read more records than allowed reports it", async () => {
  await assert.rejects(search("pump", { skip: 0, limit: 5 }, 10, 20), {
    code: "invalid_request",
    detail: "q",
    message: /has read 20 records, as many as a search may: narrow it by another filter/,
  });
  assert.equal((await search("pump", { skip: 0, limit: 5 }, 10, 31)).total, 10);
});

test("a search counted only a little ahead ends when it has found that many", async () => {
  const searched = { list: "devices", as: "d", columns: sql`d.name`, matches: contains("d.name", "pump") } as const;
  const page = { skip: 1, limit: 2, countAhead: 1 };
  const { db } = registry.database;
  // Every third row matches: the first two steps of six rows out of 30 have four matches. It may not read more than
  // twelve rows.
  const found = await searchPage<{ name: string }>(db, tenant.caller.tenantId, { ...searched }, page, {
    step: 6,
    most: 12,
  });
  const expected = names.filter((name) => name.startsWith("Pump")).slice(1, 3);
  assert.deepEqual([found.rows.map(({ name }) => name), found.total, found.totalIsAtLeast], [expected, 4, true]);
});

test("a search may read exactly as many records as there are", async () => {
  assert.equal((await search("pump", { skip: 0, limit: 5 }, 10, 30)).total, 10);
});

test("a search within another filter counts its matches only", async () => {
  const group = await registry.groups.createGroup(tenant.caller, { name: "Hall" });
  await registry.devices.createDevice(tenant.caller, { name: "Pump in the hall", groupIds: [group.id] });
  const page = { skip: 0, limit: 50 };
  const found = await registry.devices.listDevices(tenant.caller, { q: "PUMP", groupId: group.id, ...page });
  assert.deepEqual([found.total, found.items.map(({ name }) => name)], [1, ["Pump in the hall"]]);
  assert.equal((await registry.devices.listDevices(tenant.caller, { q: "pump", ...page })).total, 11);
});
