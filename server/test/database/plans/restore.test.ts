import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { beginCompletion, setComplete } from "../../../src/connections/nodes/complete-store.ts";
import "../../../src/connections/nodes/restore-store.ts";
import { openTestDatabase } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { entriesRead, repeatedReads } from "./reads.ts";

const TENANT = "01890000-0000-7000-8000-000000000001";
const NODE = "01890000-0000-7000-8000-000000000002";
const SOME = "FROM generate_series(1, 500) n";

/** As many sessions as PostgreSQL knows of. */
for (const known of ["no", "many"]) {
  test(`sessions are recorded again without a comparison of each with each, where PostgreSQL knows of ${known} sessions`, async (t) => {
    const database = await openTestDatabase();
    t.after(async () => {
      await database.close();
      await database.remove();
    });
    const query = (text: string, parameters?: unknown[]) => runSql(database.db, text, parameters);
    await query("INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 't', 'T', now())", [TENANT]);
    await query(
      `INSERT INTO mqtt_clients (id, tenant_id, client_id, username, password_hash, publish_topics, subscribe_filters, created_at)
        SELECT gen_random_uuid(), $1, n, n, '', '{}', '{}', now() ${SOME}`,
      [TENANT],
    );
    await query("INSERT INTO broker_nodes (id, started_at, beat_at, schema_number) VALUES ($1, now(), now(), 1)", [
      NODE,
    ]);
    if (known === "many")
      await query(
        `INSERT INTO mqtt_sessions (client_id, session_id, seq, node_id, tenant_id, remote_address, connected_at)
          SELECT n, gen_random_uuid(), n, $1, $2, '', now() ${SOME}`,
        [NODE, TENANT],
      );
    await query("ANALYZE mqtt_clients, mqtt_sessions");
    for (const statement of ["restore-missing-sessions", "renumber-sessions"]) {
      assert.deepEqual(await repeatedReads(database.db, statement), [], statement);
    }
  });
}

test("a node that enters the complete ones reads no drop, however many are its own", async (t) => {
  const database = await openTestDatabase();
  t.after(async () => {
    await database.close();
    await database.remove();
  });
  await database.db.connection().execute(async (connection) => {
    const query = (text: string, parameters?: unknown[]) => runSql(connection, text, parameters);
    const read = async () =>
      (await entriesRead(connection, "session_drops_node")) + (await entriesRead(connection, "session_drops_pkey"));
    await query("INSERT INTO broker_nodes (id, started_at, beat_at, schema_number) VALUES ($1, now(), now(), 1)", [
      NODE,
    ]);
    await query(
      `INSERT INTO session_drops (at, session_id, reason, node_id) SELECT now(), gen_random_uuid(), 'takeover', $1 ${SOME}`,
      [NODE],
    );
    await query("ANALYZE session_drops");
    const attempt = randomUUID();
    const before = await read();
    await beginCompletion(connection, NODE, attempt);
    await setComplete(connection, NODE, attempt);
    assert.equal(await read(), before);
  });
});
