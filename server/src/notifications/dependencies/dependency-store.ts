import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { isSilence } from "../holds/silence-store.ts";

/**
 * SQL: the id of the device on which device `d` depends, a field of its metadata; null if it names none. The index
 * `devices_depends_on` has the same expression.
 */
const parentOf = (d: string): RawBuilder<string | null> => sql`(${sql.ref(`${d}.metadata`)} ->> 'dependsOn')`;

/** The longest chain of dependencies that is searched for a loop. */
const LONGEST_CHAIN = 10;

/** SQL: anomaly `a` is a silence that goes on. */
const isOngoing = (a: string): RawBuilder<SqlBool> => sql`(${isSilence(a)} AND ${sql.ref(`${a}.resolved_at`)} IS NULL)`;

/** SQL: device `u` is the one on which `d` depends. */
const isParent = (u: string, d: string): RawBuilder<SqlBool> =>
  sql`(${sql.ref(`${u}.tenant_id`)} = ${sql.ref(`${d}.tenant_id`)} AND ${sql.ref(`${u}.id`)} = ${parentOf(d)} AND ${sql.ref(`${u}.deleted_at`)} IS NULL)`;

/** SQL: device `d` depends on itself, over others, or its chain of dependencies is too long to tell. */
const isInLoop = (d: string): RawBuilder<SqlBool> => sql`EXISTS (
  WITH RECURSIVE above AS (
    SELECT u.uid, u.tenant_id, u.metadata, ARRAY[u.uid] AS passed FROM shared_devices u WHERE ${isParent("u", d)}
    UNION ALL
    SELECT u.uid, u.tenant_id, u.metadata, passed || u.uid FROM above JOIN shared_devices u ON ${isParent("u", "above")}
     WHERE u.uid <> ALL (passed) AND cardinality(passed) < ${LONGEST_CHAIN}
  ) SELECT FROM above WHERE above.uid = ${sql.ref(`${d}.uid`)} OR cardinality(passed) = ${LONGEST_CHAIN})`;

/**
 * SQL: device `d` depends on a silent one, and a page about that silence was sent or is due. Devices in a loop do not
 * count, because each would wait for the others; nor do those at the end of a chain that may contain them all.
 */
export const dependsOnSilent = (d: string): RawBuilder<SqlBool> => sql`(${parentOf(d)} IS NOT NULL AND EXISTS (
  SELECT FROM shared_devices parent JOIN shared_anomalies silence ON silence.device_uid = parent.uid
   WHERE ${isParent("parent", d)} AND ${isOngoing("silence")}
     AND EXISTS (SELECT FROM pages p WHERE p.anomaly_id = silence.id)) AND NOT ${isInLoop(d)})`;

/** Returns which of the anomalies are silences of devices that depend on a silent one. */
export async function readDependent(tx: Tx, anomalyIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT a.id FROM shared_anomalies a JOIN shared_devices d ON d.uid = a.device_uid
     WHERE a.id = ANY (${[...anomalyIds]}::uuid[]) AND ${isOngoing("a")} AND ${dependsOnSilent("d")}`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** The silent devices that depend on the device of a silence: the first names, and their number. */
export interface Dependents {
  names: string[];
  count: number;
}

const SHOWN = 20;

/** Reads the silent dependents of the devices of those of the anomalies that are silences, by the anomaly's id. */
export async function readDependents(tx: Tx, anomalyIds: readonly string[]): Promise<ReadonlyMap<string, Dependents>> {
  const { rows } = await sql<Dependents & { id: string }>`
    SELECT a.id, (array_agg(b.name ORDER BY b.uid))[1:${sql.lit(SHOWN)}] AS names, count(*)::int AS count
      FROM shared_anomalies a JOIN shared_devices d ON d.uid = a.device_uid
      JOIN shared_devices b ON b.tenant_id = d.tenant_id AND ${parentOf("b")} = d.id AND b.deleted_at IS NULL
     WHERE a.id = ANY (${[...anomalyIds]}::uuid[]) AND ${isOngoing("a")}
       AND EXISTS (SELECT FROM shared_anomalies s WHERE s.device_uid = b.uid AND ${isOngoing("s")})
     GROUP BY a.id`.execute(tx);
  return new Map(rows.map(({ id, ...dependents }) => [id, dependents]));
}
