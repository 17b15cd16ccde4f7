import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";

/** A server root that replaces another one: all that decides which devices have it. */
export interface ServerRoot {
  /** The time from which every response with a certificate has the root in its CA bundle. */
  announcedAt: Date;
  /** The time from which servers are verified by it; `null` before that. */
  activatedAt: Date | null;
}

/** The time for which another process may hand out the former bundle: each process reads the rows again every hour. */
const PROPAGATION = sql`interval '1 hour'`;

/**
 * Returns the SQL condition that the device `d` has the server root. It has shown so by a connection with a certificate
 * issued together with the root, or by one after the root took over, when the device verified the broker by it. Nothing
 * more is recorded.
 */
export function hasServerRoot({ announcedAt, activatedAt }: ServerRoot): RawBuilder<boolean> {
  return sql`EXISTS (SELECT FROM certificates r WHERE r.device_uid = d.uid AND r.last_connected_at IS NOT NULL
    AND (r.issued_at > ${announcedAt}::timestamptz + ${PROPAGATION} OR r.last_connected_at > ${activatedAt}::timestamptz))`;
}

/**
 * Counts the devices of all tenants with a live certificate, and those of them that have the root. It reads every
 * device.
 */
export async function countServerRoot(
  db: Db,
  root: ServerRoot,
  now: Date,
): Promise<{ devices: number; trusting: number }> {
  const counted = sql`SELECT count(*) FROM shared_devices d WHERE d.deleted_at IS NULL AND d.certificate_until > ${now}::timestamptz`;
  // This is a subquery of its own, so that it is planned as a join; an aggregate would look up the certificates device
  // by device.
  const trusting = sql`(${counted} AND ${hasServerRoot(root)})`;
  const { rows } = await sql<{ devices: string; trusting: string }>`
    SELECT (${counted}) AS devices, ${trusting} AS trusting`.execute(db);
  return { devices: Number(rows[0]!.devices), trusting: Number(rows[0]!.trusting) };
}
