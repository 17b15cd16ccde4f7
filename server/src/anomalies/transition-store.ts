import { type RawBuilder, sql } from "kysely";

/**
 * SQL fragments with which `rules` writes transitions of anomalies in its own statements. The caller's query supplies
 * the observations, and decides whether they still count. The caller first locks devices and packs in order, and these
 * fragments take rows in order, so that concurrent batches wait for each other and never deadlock.
 */

/** A query with one row per device and rule, and the columns {@link OBSERVED}. */
type Observed = RawBuilder<unknown>;
type Time = RawBuilder<Date>;

/** `id` is for the anomaly if a new one opens. `occurrences` counts the breaches; the last one had `value`. */
const OBSERVED = sql`id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached, severity, message,
  occurrences`;

/**
 * Opens an anomaly for each row, or adds the row to the unresolved anomaly of its device and rule. Fires
 * `anomalies_event_opened`.
 */
export function openAnomalies(observed: Observed, now: Time): RawBuilder<unknown> {
  return sql`
  INSERT INTO anomalies AS a (${OBSERVED}, opened_at, last_observed_at)
  SELECT ${OBSERVED}, ${now}::timestamptz, ${now}::timestamptz FROM (${observed}) o ORDER BY device_uid, rule_id
  ON CONFLICT (device_uid, rule_id) WHERE resolved_at IS NULL DO UPDATE
     SET metric = excluded.metric, value = excluded.value, breached = excluded.breached, last_observed_at = greatest(a.last_observed_at, excluded.last_observed_at),
         occurrences = a.occurrences + excluded.occurrences`;
}

/** Inserts anomalies that opened and ended between two commits, as resolved. Fires `anomalies_event_opened`. */
export function insertResolvedAnomalies(observed: Observed, now: Time): RawBuilder<unknown> {
  return sql`
  INSERT INTO anomalies (${OBSERVED}, opened_at, last_observed_at, status, resolved_at, resolved_by)
  SELECT ${OBSERVED}, ${now}::timestamptz, ${now}::timestamptz, 'resolved', ${now}::timestamptz, 'system'
    FROM (${observed}) o`;
}

/**
 * Resolves anomalies. Forces one index lookup per anomaly, whatever statistics the planner has. With statistics of a
 * nearly empty table, it would otherwise scan an index of all current anomalies once per row. Fires
 * `anomalies_event_changed`, `anomalies_silence_resolved`.
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

/**
 * Opens an anomaly for each silent device without one, and returns the `device_uid` of each. Fires
 * `anomalies_event_opened`.
 */
export function openSilences(observed: Observed, now: Time): RawBuilder<unknown> {
  return sql`
  INSERT INTO anomalies (${OBSERVED}, opened_at, last_observed_at)
  SELECT ${OBSERVED}, ${now}::timestamptz, ${now}::timestamptz FROM (${observed}) o ORDER BY device_uid
  ON CONFLICT (device_uid) WHERE resolved_at IS NULL AND rule_id IS NULL AND certificate_id IS NULL DO NOTHING
  RETURNING device_uid`;
}

/**
 * Resolves the unresolved anomalies of silent devices, and returns the `device_uid` of each.
 *
 * @param ended a query with the columns `device_uid` and `end_reason` (an `EndReason`; NULL if the device was seen
 *   again)
 */
export function resolveSilences(ended: RawBuilder<unknown>, now: Time): RawBuilder<unknown> {
  const locked = sql`
    SELECT u.id, e.end_reason FROM (SELECT * FROM (${ended}) n ORDER BY n.device_uid) e
     CROSS JOIN LATERAL (SELECT o.id FROM anomalies o WHERE o.device_uid = e.device_uid
       AND o.rule_id IS NULL AND o.certificate_id IS NULL AND o.resolved_at IS NULL FOR UPDATE) u`;
  return sql`${resolve(locked, now)} RETURNING a.device_uid`;
}

/**
 * Opens an anomaly for each certificate that never had one. Fires `anomalies_event_opened`.
 *
 * @param observed the usual columns, followed by `certificate_id`
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
 * @param ended a query with the columns `certificate_id` and `end_reason` (an `EndReason`; NULL if the certificate was
 *   replaced or revoked)
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
