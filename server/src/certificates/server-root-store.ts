import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";

/** A server root that takes the place of another one: all that decides which devices have it. */
export interface ServerRoot {
  /** From then on, every answer with a certificate has the root in its CA bundle. */
  announcedAt: Date;
  /** From then on, servers are verified by it; null: not yet. */
  activatedAt: Date | null;
}

/** Another process may hand out the former bundle until it has read the rows again, which each does every hour. */
const PROPAGATION = sql`interval '1 hour'`;

/**
 * SQL: the device `d` has the server root. It has shown it by a connection with a certificate that was issued together with the root, or by
 * one after the root took over, when the device verified the broker by it. Nothing more is recorded.
 */
export function hasServerRoot({ announcedAt, activatedAt }: ServerRoot): RawBuilder<boolean> {
  return sql`EXISTS (SELECT FROM certificates r WHERE r.device_uid = d.uid AND r.last_connected_at IS NOT NULL
    AND (r.issued_at > ${announcedAt}::timestamptz + ${PROPAGATION} OR r.last_connected_at > ${activatedAt}::timestamptz))`;
}

/** How many devices of all tenants have a live certificate, and how many of these have the root. It reads every device. */
export async function countServerRoot(
  db: Db,
  root: ServerRoot,
  now: Date,
): Promise<{ devices: number; trusting: number }> {
  const counted = sql`SELECT count(*) FROM shared_devices d WHERE d.deleted_at IS NULL AND d.certificate_until > ${now}::timestamptz`;
  // Of its own, so that it is planned as a join: within an aggregate it would look up the certificates device by device.
  const trusting = sql`(${counted} AND ${hasServerRoot(root)})`;
  const { rows } = await sql<{ devices: string; trusting: string }>`
    SELECT (${counted}) AS devices, ${trusting} AS trusting`.execute(db);
  return { devices: Number(rows[0]!.devices), trusting: Number(rows[0]!.trusting) };
}
