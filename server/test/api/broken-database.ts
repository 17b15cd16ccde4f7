import { endConnections, setReadOnly } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import type { TestServer } from "../harness/server.ts";

/**
 * The tables and views that handlers read and authentication does not. A view continues to work when a table it reads
 * is renamed.
 */
const VIEWED = ["devices", "groups", "thresholds", "anomalies", "certificates"];
const TABLES = [
  ...[...VIEWED, "shifts", "tickets", "ticket_comments", "ticket_history", "claims", "certificate_audit"],
  ...["connection_refusals", "webhooks", "one_time_links", "admin_audit", "api_audit", "device_commands"],
  ...["device_types", "mqtt_clients", "maintenance_windows", "absences", "events"],
];

/** Renames what handlers read, so that every handler fails. `from` and `to` are the suffixes of the names. */
export async function renameTables({ app }: TestServer, from: string, to: string): Promise<void> {
  for (const name of [...TABLES, ...[...VIEWED, "users"].map((table) => `shared_${table}`)])
    await runSql(app.database.db, `ALTER TABLE ${name}${from} RENAME TO ${name}${to}`, []);
  // Authentication reads the other columns.
  await runSql(app.database.db, `ALTER TABLE api_keys RENAME COLUMN replaces${from} TO replaces${to}`, []);
}

/** Makes the database of a service refuse writes, or accept them again. */
export async function refuseWrites({ databaseUrl, app }: TestServer, readOnly: boolean): Promise<void> {
  if (databaseUrl === undefined) {
    await runSql(app.database.db, `SET default_transaction_read_only = ${readOnly}`, []);
    return;
  }
  await setReadOnly(databaseUrl, readOnly);
  await endConnections(databaseUrl);
}
