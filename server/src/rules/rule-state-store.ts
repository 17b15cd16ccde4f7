import { STILL_JUDGED } from "../anomalies/anomalies.ts";
import { plainArray, textArray } from "../db/array-literal.ts";
import { type Db, runPrepared, type Statement } from "../db/database.ts";
import type { Rule } from "./rule.ts";

/** What is stored of a device that judging it needs. Times are microseconds since 1970. */
export interface WatchRow {
  uid: string;
  /** Ids of the packs put on it or on its type. */
  packs: string[] | null;
  /** The newest reading of every metric that rules of the packs name. */
  latest: { metric: string; time: number }[] | null;
  states: { rule: string; phase: "pending" | "clearing"; since: number }[] | null;
  /** Rules with an unresolved anomaly; `null` among them is the device's silence. */
  open: (string | null)[] | null;
}

/**
 * All of it is one statement, hence one snapshot: a state and the newest reading it stands for belong together. A device may have
 * named any number of metrics: those that no rule names are not touched, each of the others is one step into the index.
 */
const LOAD = `
SELECT d.uid, w.packs, w.latest, w.states,
       (SELECT json_agg(a.rule_id) FROM anomalies a WHERE a.device_uid = d.uid AND a.resolved_at IS NULL) AS open
  FROM unnest($1::text::uuid[]) AS asked (uid)
  JOIN devices d ON d.uid = asked.uid AND d.deleted_at IS NULL
  LEFT JOIN LATERAL (
    SELECT json_agg(DISTINCT p.threshold_id) AS packs,
           (SELECT json_agg(json_build_object('metric', l.metric, 'time', (extract(epoch FROM l.ts) * 1000000)::bigint))
              FROM (SELECT DISTINCT r ->> 'metric' AS metric FROM thresholds t CROSS JOIN json_array_elements(t.rules) r
                     WHERE t.id = ANY (array_agg(p.threshold_id))) m
             CROSS JOIN LATERAL (SELECT n.metric, n.ts FROM telemetry_latest n
                                  WHERE n.device_uid = d.uid AND n.metric = m.metric OFFSET 0) l) AS latest,
           (SELECT json_agg(json_build_object('rule', s.rule_id, 'phase', s.phase,
                                              'since', (extract(epoch FROM s.since) * 1000000)::bigint))
              FROM rule_states s WHERE s.device_uid = d.uid) AS states
      FROM (SELECT o.threshold_id FROM device_thresholds o WHERE o.device_uid = d.uid
            UNION ALL
            SELECT y.threshold_id FROM device_type_thresholds y WHERE y.device_type_id = d.device_type_id) p
    HAVING count(*) > 0) w ON true`;

/** Devices that do not exist, or no longer, are left out. */
export function loadWatches(db: Db, uids: readonly string[]): Promise<WatchRow[]> {
  return runPrepared<WatchRow>(db, "load-watches", LOAD, [plainArray(uids)]);
}

export interface PackRow {
  id: string;
  revision: number;
  rules: Rule[];
}

const LOAD_PACKS = `
SELECT t.id, t.revision, t.rules FROM thresholds t WHERE t.id = ANY ($1::text::uuid[]) AND t.enabled`;

/** Those of the packs that are enabled. */
export function loadPacks(db: Db, ids: readonly string[]): Promise<PackRow[]> {
  return runPrepared<PackRow>(db, "load-packs", LOAD_PACKS, [plainArray(ids)]);
}

/** A state to keep, or, without a phase, one to drop. `since` is microseconds since 1970. */
export interface StateRow {
  deviceUid: string;
  ruleId: string;
  thresholdId: string;
  revision: number;
  phase: "pending" | "clearing" | undefined;
  since: number;
}

const STORE_STATES = `
WITH o AS MATERIALIZED (
  SELECT * FROM unnest($1::text::uuid[], $2::text::uuid[], $3::text::uuid[], $4::text::integer[], $5::text::text[], $6::text::float8[])
       AS u (device_uid, rule_id, threshold_id, revision, phase, since)
), dropped AS (
  DELETE FROM rule_states s USING o WHERE s.device_uid = o.device_uid AND s.rule_id = o.rule_id AND o.phase IS NULL
)
INSERT INTO rule_states AS s (device_uid, rule_id, threshold_id, phase, since)
SELECT o.device_uid, o.rule_id, o.threshold_id, o.phase, to_timestamp(o.since / 1e6)
  FROM o JOIN devices d ON d.uid = o.device_uid
 WHERE o.phase IS NOT NULL AND d.deleted_at IS NULL AND ${STILL_JUDGED}
 ORDER BY o.device_uid, o.rule_id
ON CONFLICT (device_uid, rule_id) DO UPDATE SET phase = excluded.phase, since = excluded.since`;

/** No two rows share device and rule. States of packs that judge their device no longer are left out. */
export function storeStates(rows: readonly StateRow[]): Statement {
  const parameters = [
    plainArray(rows.map((row) => row.deviceUid)),
    plainArray(rows.map((row) => row.ruleId)),
    plainArray(rows.map((row) => row.thresholdId)),
    plainArray(rows.map((row) => row.revision)),
    textArray(rows.map((row) => row.phase)),
    plainArray(rows.map((row) => row.since)),
  ];
  return { name: "store-states", text: STORE_STATES, parameters };
}
