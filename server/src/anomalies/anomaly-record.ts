import type { MetricValue } from "../telemetry/telemetry.ts";
import type { AnomalyRow } from "./anomaly-store.ts";
import { endComment } from "./end-reason.ts";
import type { RuleValue, Severity } from "./severity.ts";

export const ANOMALY_STATUSES = ["open", "acknowledged", "resolved"] as const;
export type AnomalyStatus = (typeof ANOMALY_STATUSES)[number];

/** A fault of one device by one rule, from opening to resolution (docs/spec-decisions.md, records). */
export interface Anomaly {
  id: string;
  deviceId: string;
  /** `null`, as are rule and metric, for a device that is silent or has not renewed its certificate. */
  thresholdId: string | null;
  ruleId: string | null;
  metric: string | null;
  /** The last value that broke the rule; for a silent device its seconds; of a certificate when it ends. */
  value: MetricValue;
  /** The rule's `value` that was crossed; for a silent device the seconds allowed; of a certificate when a new one was due. */
  limit: RuleValue;
  severity: Severity;
  status: AnomalyStatus;
  message: string;
  openedAt: Date;
  lastObservedAt: Date;
  occurrences: number;
  /** The first acknowledgement. */
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  /** Of the acknowledgement; without one, why the service resolved an anomaly whose rule no longer applies. */
  comment: string | null;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  ticketId: string | null;
}

/** The record as the API shows it. */
export function toAnomaly(row: AnomalyRow): Anomaly {
  return {
    id: row.id,
    deviceId: row.device_id,
    thresholdId: row.threshold_id,
    ruleId: row.rule_id,
    metric: row.metric,
    value: row.value,
    limit: row.breached,
    severity: row.severity,
    status: row.status,
    message: row.message,
    openedAt: row.opened_at,
    lastObservedAt: row.last_observed_at,
    occurrences: Number(row.occurrences),
    acknowledgedAt: row.acknowledged_at,
    acknowledgedBy: row.acknowledged_by,
    comment: commentOf(row),
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    ticketId: row.ticket_id,
  };
}

/** The comment of the acknowledgement; without one, why the service resolved an anomaly whose rule no longer applies. */
export function commentOf({ comment, end_reason }: Pick<AnomalyRow, "comment" | "end_reason">): string | null {
  return comment ?? (end_reason && endComment(end_reason));
}
