import { sql } from "kysely";
import { plainArray, textArray } from "../db/array-literal.ts";
import type { Db } from "../db/database.ts";
import { type BoundStatement, runStatement, statement } from "../db/statement.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import type { ConditionMemory } from "./derived/condition-memory.ts";
import type { Rule } from "./rule.ts";
import { stillEvaluated } from "./transition-store.ts";

/** The stored state of a device that evaluation needs. Times are microseconds since 1970. */
export interface DeviceRow {
  uid: string;
  /** The number of its stored batches, as a bigint. */
  version: string;
  /** The ids of the packs assigned to it or to its type. */
  packs: string[] | null;
  /** The newest reading of each metric that the packs' rules name; its value if the packs have memories. */
  latest: { metric: string; time: number; value?: MetricValue | null }[] | null;
  /** The time of the newest reading of any metric, if the packs measure ages. */
  newest: number | null;
  /** The metadata, if the packs have limits in it. */
  metadata: Record<string, unknown> | null;
  states: StoredState[] | null;
  /** The rules with an unresolved anomaly. `null` among them stands for the device's silence. */
  open: (string | null)[] | null;
}

/** The stored state of a rule. `memory` has the memories of its conditions (`derived/condition-memory.ts`). */
export interface StoredState {
  rule: string;
  phase: "pending" | "clearing" | null;
  since: number | null;
  memory: ConditionMemory[] | null;
}

/**
 * A single statement, hence a single snapshot: a state, its newest evaluated reading and the version belong together. A
 * device may have sent any number of metrics, so only those named by rules are returned.
 */
const deviceRows = statement<{ uids: string }, DeviceRow>(
  "load-device-rules",
  (p) => sql`
SELECT d.uid, coalesce(v.version, 0) AS version, r.packs, r.latest, r.newest, r.metadata, r.states,
       (SELECT json_agg(a.rule_id) FROM shared_anomalies a
         WHERE a.device_uid = d.uid AND a.resolved_at IS NULL AND a.certificate_id IS NULL) AS open
  FROM unnest(${p.uids}::text::uuid[]) AS asked (uid)
  JOIN shared_devices d ON d.uid = asked.uid AND d.deleted_at IS NULL
  LEFT JOIN shared_device_latest v ON v.device_uid = asked.uid
  LEFT JOIN LATERAL (
    SELECT json_agg(DISTINCT p.threshold_id) AS packs,
           (SELECT json_agg(json_build_object('metric', l.metric, 'time', (extract(epoch FROM l.ts) * 1000000)::bigint,
                                              'value', CASE WHEN EXISTS (SELECT FROM thresholds t WHERE t.id = ANY (array_agg(p.threshold_id)) AND t.has_memory)
                                                THEN coalesce(to_jsonb(l.number), to_jsonb(l.flag), to_jsonb(l.text)) END))
              FROM shared_latest_values l
             WHERE l.device_uid = d.uid
               AND l.metric = ANY (ARRAY(SELECT unnest(t.metrics) FROM thresholds t WHERE t.id = ANY (array_agg(p.threshold_id))))) AS latest,
           CASE WHEN EXISTS (SELECT FROM thresholds t WHERE t.id = ANY (array_agg(p.threshold_id)) AND t.measures_age)
             THEN (SELECT (extract(epoch FROM max(l.ts)) * 1000000)::bigint FROM shared_latest_values l
                    WHERE l.device_uid = d.uid) END AS newest,
           CASE WHEN EXISTS (SELECT FROM thresholds t WHERE t.id = ANY (array_agg(p.threshold_id)) AND t.reads_metadata)
             THEN d.metadata END AS metadata,
           (SELECT json_agg(json_build_object('rule', s.rule_id, 'phase', s.phase, 'memory', s.memory,
                                              'since', (extract(epoch FROM s.since) * 1000000)::bigint))
              FROM rule_states s WHERE s.device_uid = d.uid) AS states
      FROM (SELECT o.threshold_id FROM shared_device_thresholds o WHERE o.device_uid = d.uid
            UNION ALL
            SELECT y.threshold_id FROM shared_device_type_thresholds y WHERE y.device_type_id = d.device_type_id) p
    HAVING count(*) > 0) r ON true`,
);

/** Loads devices. Missing and deleted ones are left out. */
export async function loadDeviceRows(db: Db, uids: readonly string[]): Promise<DeviceRow[]> {
  return await runStatement(db, deviceRows, { uids: plainArray(uids) });
}

export interface PackRow {
  id: string;
  revision: number;
  rules: Rule[];
}

const packRows = statement<{ ids: string }, PackRow>(
  "load-packs",
  (p) =>
    sql`SELECT t.id, t.revision, t.rules FROM thresholds t WHERE t.id = ANY (${p.ids}::text::uuid[]) AND t.enabled`,
);

/** Loads the enabled ones of these packs. */
export async function loadPacks(db: Db, ids: readonly string[]): Promise<PackRow[]> {
  return await runStatement(db, packRows, { ids: plainArray(ids) });
}

/** A state to store or, without phase and memory, to delete. `since` is in microseconds since 1970. */
export interface StateRow {
  deviceUid: string;
  ruleId: string;
  thresholdId: string;
  /** The revision of the pack when the rule was evaluated. */
  revision: number;
  phase: "pending" | "clearing" | undefined;
  since: number | undefined;
  /** JSON. */
  memory: string | undefined;
}

/** The fields of {@link StateRow}, one array literal each. */
type StateColumns = Record<
  "deviceUids" | "ruleIds" | "thresholdIds" | "revisions" | "phases" | "since" | "memories",
  string
>;

const stored = statement<StateColumns, never>(
  "store-states",
  (p) => sql`
WITH o AS MATERIALIZED (
  SELECT * FROM unnest(${p.deviceUids}::text::uuid[], ${p.ruleIds}::text::uuid[], ${p.thresholdIds}::text::uuid[],
                       ${p.revisions}::text::integer[], ${p.phases}::text::text[], ${p.since}::text::float8[],
                       ${p.memories}::text::text[])
       AS u (device_uid, rule_id, threshold_id, revision, phase, since, memory)
), deleted AS (
  DELETE FROM rule_states s USING o WHERE s.device_uid = o.device_uid AND s.rule_id = o.rule_id AND o.phase IS NULL AND o.memory IS NULL
)
INSERT INTO rule_states AS s (device_uid, rule_id, threshold_id, phase, since, memory)
SELECT o.device_uid, o.rule_id, o.threshold_id, o.phase, to_timestamp(o.since / 1e6), o.memory::jsonb
  FROM o ${stillEvaluated}
 WHERE o.phase IS NOT NULL OR o.memory IS NOT NULL
 ORDER BY o.device_uid, o.rule_id
ON CONFLICT (device_uid, rule_id) DO UPDATE SET phase = excluded.phase, since = excluded.since, memory = excluded.memory`,
);

/**
 * Stores or deletes states, with at most one row per device and rule. Leaves out states of rules that no longer
 * evaluate their device.
 */
export function storeStates(rows: readonly StateRow[]): BoundStatement {
  return stored.with({
    deviceUids: plainArray(rows.map((row) => row.deviceUid)),
    ruleIds: plainArray(rows.map((row) => row.ruleId)),
    thresholdIds: plainArray(rows.map((row) => row.thresholdId)),
    revisions: plainArray(rows.map((row) => row.revision)),
    phases: textArray(rows.map((row) => row.phase)),
    since: plainArray(rows.map((row) => row.since)),
    memories: textArray(rows.map((row) => row.memory)),
  });
}
