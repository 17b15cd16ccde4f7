import { type RawBuilder, sql } from "kysely";

/**
 * Fragments by which `rules` writes transitions of anomalies in its own statements: what is observed, and whether it still
 * counts, is a query of the caller's. A caller locks devices and packs first and in order, and these fragments take rows in
 * order, so that concurrent batches wait for each other and never deadlock.
 */

/** A query with one row a device and rule: the columns {@link OBSERVED}. */
type Observed = RawBuilder<unknown>;
type Time = RawBuilder<Date>;

/** `id` is that of the anomaly if a new one opens; `occurrences` counts the breaches, the last of which had `value`. */
const OBSERVED = sql`id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached, severity, message,
  occurrences`;

/** Opens an anomaly for each row, or adds the row to the unresolved anomaly of its device and rule. */
export function openAnomalies(observed: Observed, now: Time): RawBuilder<unknown> {
  return sql`
  INSERT INTO anomalies AS a (${OBSERVED}, opened_at, last_observed_at)
  SELECT ${OBSERVED}, ${now}::timestamptz, ${now}::timestamptz FROM (${observed}) o ORDER BY device_uid, rule_id
  ON CONFLICT (device_uid, rule_id) WHERE resolved_at IS NULL DO UPDATE
     SET value = excluded.value, last_observed_at = greatest(a.last_observed_at, excluded.last_observed_at),
         occurrences = a.occurrences + excluded.occurrences`;
}

/** Inserts anomalies that opened and ended between two commits: resolved from the start. */
export function insertResolvedAnomalies(observed: Observed, now: Time): RawBuilder<unknown> {
  return sql`
  INSERT INTO anomalies (${OBSERVED}, opened_at, last_observed_at, status, resolved_at, resolved_by)
  SELECT ${OBSERVED}, ${now}::timestamptz, ${now}::timestamptz, 'resolved', ${now}::timestamptz, 'system'
    FROM (${observed}) o`;
}

/**
 * Resolves anomalies. Each is looked up in an index, whatever the planner knows of the table: while it knows of a few only, it would read
 * an index of all that there are now once for each.
 *
 * @param locked a query with the columns `id` and `end_reason` that locks the rows
 */
function resolve(locked: RawBuilder<unknown>, now: Time): RawBuilder<unknown> {
  return sql`
  WITH l AS MATERIALIZED (${locked})
  UPDATE anomalies a
     SET status = 'resolved', resolved_at = ${now}::timestamptz, resolved_by = 'system', end_reason = l.end_reason
    FROM l WHERE a.id = l.id AND a.id = ANY (ARRAY(SELECT id FROM l))`;
}

/**
 * Resolves the unresolved anomalies of devices and rules.
 *
 * @param ended a query with the columns `device_uid` and `rule_id`
 */
export function resolveAnomalies(ended: RawBuilder<unknown>, now: Time): RawBuilder<unknown> {
  return resolve(
    sql`
    SELECT u.id, NULL::text AS end_reason FROM (SELECT * FROM (${ended}) n ORDER BY n.device_uid, n.rule_id) e
     CROSS JOIN LATERAL (SELECT o.id FROM anomalies o
       WHERE o.device_uid = e.device_uid AND o.rule_id = e.rule_id AND o.resolved_at IS NULL FOR UPDATE) u`,
    now,
  );
}

/** Opens an anomaly for each silent device that has none; returns the `device_uid` of those it opened. */
export function openSilences(observed: Observed, now: Time): RawBuilder<unknown> {
  return sql`
  INSERT INTO anomalies (${OBSERVED}, opened_at, last_observed_at)
  SELECT ${OBSERVED}, ${now}::timestamptz, ${now}::timestamptz FROM (${observed}) o ORDER BY device_uid
  ON CONFLICT (device_uid) WHERE resolved_at IS NULL AND rule_id IS NULL AND certificate_id IS NULL DO NOTHING
  RETURNING device_uid`;
}

/**
 * Resolves the unresolved anomalies of silent devices; returns the `device_uid` of each.
 *
 * @param ended a query with the columns `device_uid` and `end_reason` (an `EndReason`; NULL: the device was seen again)
 */
export function resolveSilences(ended: RawBuilder<unknown>, now: Time): RawBuilder<unknown> {
  const locked = sql`
    SELECT u.id, e.end_reason FROM (SELECT * FROM (${ended}) n ORDER BY n.device_uid) e
     CROSS JOIN LATERAL (SELECT o.id FROM anomalies o WHERE o.device_uid = e.device_uid
       AND o.rule_id IS NULL AND o.certificate_id IS NULL AND o.resolved_at IS NULL FOR UPDATE) u`;
  return sql`${resolve(locked, now)} RETURNING a.device_uid`;
}

/**
 * Opens an anomaly for each certificate that never had one.
 *
 * @param observed as for the others, with the column `certificate_id` at the end
 */
export function openLostRenewals(observed: Observed, now: Time): RawBuilder<unknown> {
  return sql`
  INSERT INTO anomalies (${OBSERVED}, certificate_id, opened_at, last_observed_at)
  SELECT ${OBSERVED}, certificate_id, ${now}::timestamptz, ${now}::timestamptz FROM (${observed}) o ORDER BY device_uid, id
  ON CONFLICT (certificate_id) WHERE certificate_id IS NOT NULL DO NOTHING`;
}

/**
 * Resolves the unresolved anomalies of certificates.
 *
 * @param ended a query with the columns `certificate_id` and `end_reason` (an `EndReason`; NULL: the certificate was replaced or revoked)
 */
export function resolveLostRenewals(ended: RawBuilder<unknown>, now: Time): RawBuilder<unknown> {
  return resolve(
    sql`
    SELECT u.id, e.end_reason FROM (SELECT * FROM (${ended}) n ORDER BY n.certificate_id) e
     CROSS JOIN LATERAL (SELECT o.id FROM anomalies o
       WHERE o.certificate_id = e.certificate_id AND o.resolved_at IS NULL FOR UPDATE) u`,
    now,
  );
}
