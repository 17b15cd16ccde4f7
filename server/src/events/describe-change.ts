import { commentOf } from "../anomalies/anomalies.ts";
import type { Columns, Operation, RecordedChange, SupersededTry, TicketColumns } from "./event-store.ts";

/** The content of an event: its kind, and `data` with ids and the fields that a screen shows. */
export type EventContent = ReturnType<typeof describeChange>;
/** `anomaly.opened`, `ticket.changed`, … (docs/spec-decisions.md, Events). */
export type EventKind = EventContent["kind"];
/** The part of a kind before the dot. */
export type EventFamily = EventKind extends `${infer Family}.${string}` ? Family : never;

/**
 * Returns the kind and the payload of the event for a change. Only this function defines the kinds and the payload's
 * fields.
 */
export function describeChange(change: RecordedChange) {
  switch (change.table) {
    case "anomalies":
      return ofAnomaly(change.row);
    case "tickets":
      return ofTicket(change.row, change.operation);
    case "devices":
      return ofConnectivity(change.row);
    case "certificate_audit":
      return ofCertificate(change.row);
    case "device_findings":
      return ofFinding(change.row);
    case "connection_refusals":
      return ofSupersededTry(change.row);
  }
}

function ofAnomaly(row: Columns<"anomalies">) {
  const kinds = {
    open: "anomaly.opened",
    acknowledged: "anomaly.acknowledged",
    resolved: "anomaly.resolved",
  } as const;
  return {
    kind: kinds[row.status],
    data: {
      anomalyId: row.id,
      thresholdId: row.threshold_id,
      ruleId: row.rule_id,
      metric: row.metric,
      value: row.value,
      limit: row.breached,
      severity: row.severity,
      status: row.status,
      message: row.message,
      acknowledgedBy: row.acknowledged_by,
      comment: commentOf(row),
      resolvedBy: row.resolved_by,
    },
  };
}

function ofTicket(row: TicketColumns, operation: Operation) {
  const kinds = { INSERT: "ticket.opened", UPDATE: "ticket.changed", EDIT: "ticket.edited" } as const;
  return {
    kind: kinds[operation],
    data: {
      ticketId: row.id,
      number: row.number,
      title: row.title,
      status: row.status,
      priority: row.priority,
      anomalyId: row.anomaly_id,
      groupId: row.group_id,
      assigneeUserId: row.assignee_user_id,
      createdBy: row.created_by,
    },
  };
}

function ofCertificate(row: Columns<"certificate_audit">) {
  const kinds = {
    device_cert_minted: "certificate.minted",
    device_cert_enrolled: "certificate.enrolled",
    device_cert_renewed: "certificate.renewed",
    device_cert_revoked: "certificate.revoked",
  } as const;
  return {
    kind: kinds[row.kind],
    data: {
      certificateId: row.certificate_id,
      serialNumber: row.serial_number,
      previousSerialNumber: row.previous_serial_number,
      actor: row.actor,
    },
  };
}

/**
 * Describes a change of connectivity. `never_seen` is the state before the first connection: no device returns to it.
 */
function ofConnectivity(row: Columns<"devices", "connectivity" | "connectivity_reason">) {
  const kinds = { online: "device.online", offline: "device.offline", never_seen: "device.offline" } as const;
  return { kind: kinds[row.connectivity], data: { reason: row.connectivity_reason } };
}

function ofFinding(row: Columns<"device_findings">) {
  const kinds = { shared_key: "finding.shared_key" } as const;
  return { kind: kinds[row.kind], data: { findingId: row.id, certificateId: row.certificate_id } };
}

function ofSupersededTry(row: SupersededTry) {
  return {
    kind: "certificate.superseded_tried" as const,
    data: { certificateId: row.certificate_id, serialNumber: row.serial_number, remoteAddress: row.remote_address },
  };
}
