import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLongSearch } from "../../../src/lists/long-searches.ts";
import { listTicketRows, type TicketListing } from "../../../src/tickets/list/ticket-list-store.ts";
import { openTestDatabase } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { entriesRead } from "./reads.ts";

const TENANT = "01890000-0000-7000-8000-000000000001";
const TICKETS = 2_000;
/** Creates tickets that were changed at the same time and are never due, so that the tie-break orders them. */
const INSERT = `INSERT INTO tickets (id, tenant_id, number, title, type, priority, created_by, created_at, updated_at)
  SELECT gen_random_uuid(), $1, n, 'Grease', 'preventive', 'low', 'system', now(), now() FROM generate_series(1, ${TICKETS}) n`;

for (const [by, descending, index] of [
  ["updatedAt", true, "tickets_by_change"],
  ["dueAt", false, "tickets_by_due_time"],
] as const) {
  const order = `${descending ? "-" : ""}${by}`;
  test(`a page of tickets sorted by ${order} is read in the order of ${index}, however many have the same time`, async (t) => {
    const database = await openTestDatabase();
    t.after(async () => {
      await database.close();
      await database.remove();
    });
    await runSql(database.db, "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 't', 'T', now())", [
      TENANT,
    ]);
    await runSql(database.db, INSERT, [TENANT]);
    await runSql(database.db, "ANALYZE tickets");
    const listing: TicketListing = { filter: {}, sort: { by, descending } };
    await database.db.connection().execute(async (connection) => {
      const before = await entriesRead(connection, index);
      const { rows } = await listTicketRows(connection, TENANT, listing, { skip: 20, limit: 10 });
      assert.equal(rows.length, 10);
      assert.equal((await entriesRead(connection, index)) - before, 30);
    });
  });
}

test("a sorted search of tickets waits for its turn among the tenant's searches, whichever index has the order", async (t) => {
  const database = await openTestDatabase();
  t.after(async () => {
    await database.close();
    await database.remove();
  });
  const { promise: search, resolve: endSearch } = Promise.withResolvers<void>();
  const running = oneLongSearch(database.db, TENANT, () => search);
  const list = (listing: TicketListing) => listTicketRows(database.db, TENANT, listing, { skip: 0, limit: 10 });
  const sort = { by: "updatedAt", descending: true } as const;
  let isFound = false;
  const searched = list({ filter: {}, q: "grease", sort }).then(() => {
    isFound = true;
  });
  await list({ filter: {}, sort });
  await list({ filter: {}, sort });
  assert.equal(isFound, false);
  endSearch();
  await Promise.all([running, searched]);
});
