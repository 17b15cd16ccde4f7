import type { MetricValue } from "../telemetry/telemetry.ts";
import type { AnomalyRow } from "./anomaly-store.ts";
import { endComment } from "./end-reason.ts";
import type { RuleValue, Severity } from "./severity.ts";

export const ANOMALY_STATUSES = ["open", "acknowledged", "resolved"] as const;
export type AnomalyStatus = (typeof ANOMALY_STATUSES)[number];

/** The cause of an anomaly: a rule, a silent device, or a certificate that was not renewed in time. */
export const ANOMALY_CAUSES = ["rule", "silence", "renewal"] as const;
export type AnomalyCause = (typeof ANOMALY_CAUSES)[number];

/** A fault of one device under one rule, from opening to resolution (docs/spec-decisions.md, records). */
export interface Anomaly {
  id: string;
  deviceId: string;
  /** `null`, like rule and metric, if the device is silent or has not renewed its certificate. */
  thresholdId: string | null;
  ruleId: string | null;
  metric: string | null;
  /** The last value that breached the rule; the seconds of a silence; or the end of a certificate. */
  value: MetricValue;
  /** The rule's `value` that was crossed; the allowed seconds of silence; or when a certificate renewal was due. */
  limit: RuleValue;
  severity: Severity;
  status: AnomalyStatus;
  message: string;
  openedAt: Date;
  lastObservedAt: Date;
  occurrences: number;
  /** The time of the first acknowledgement. */
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  /** The comment of the acknowledgement, or else why the service resolved an anomaly whose rule no longer applies. */
  comment: string | null;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  ticketId: string | null;
}

/** Converts the row to its API form. */
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

/**
 * Returns the comment of the acknowledgement, or else why the service resolved an anomaly whose rule no longer applies.
 */
export function commentOf({ comment, end_reason }: Pick<AnomalyRow, "comment" | "end_reason">): string | null {
  return comment ?? (end_reason && endComment(end_reason));
}
