import assert from "node:assert/strict";
import { test } from "node:test";
import { listDeviceRows } from "../../../src/devices/list/device-list-store.ts";
import { openTestDatabase } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { entriesRead } from "./reads.ts";

const TENANT = "01890000-0000-7000-8000-000000000001";
const DEVICES = 2_000;
/** Two of the devices depend on a gateway. */
const INSERT = `INSERT INTO devices (uid, tenant_id, id, name, metadata, created_at, updated_at)
  SELECT gen_random_uuid(), $1, 'unit-' || n, 'Unit', CASE WHEN n <= 2 THEN '{"dependsOn": "gateway-1"}'::jsonb ELSE '{}' END,
         now(), now() FROM generate_series(1, ${DEVICES}) n`;

test("the devices that depend on one are read from their index, however many devices the tenant has", async (t) => {
  const database = await openTestDatabase();
  t.after(async () => {
    await database.close();
    await database.remove();
  });
  await runSql(database.db, "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 't', 'T', now())", [TENANT]);
  await runSql(database.db, INSERT, [TENANT]);
  await runSql(database.db, "ANALYZE devices");
  const filter = { metadata: [{ field: "dependsOn", values: ["gateway-1"] }] };
  await database.db.connection().execute(async (connection) => {
    const before = await entriesRead(connection, "devices_depends_on");
    const found = await listDeviceRows(connection, TENANT, { filter }, { skip: 0, limit: 10 }, new Date());
    assert.deepEqual([found.rows.length, found.total], [2, 2]);
    assert.ok((await entriesRead(connection, "devices_depends_on")) > before);
  });
});
