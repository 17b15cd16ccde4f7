import { Counter, Gauge, type Registry } from "prom-client";

/** The metrics of sign-ins, provisioning and audit streams. */
export interface PeopleMetrics {
  /** Attempts to sign in; `method`: `password`, `factor`, `passkey` or `provider`; `result`: `ok` or the error code. */
  readonly signIns: Counter<"method" | "result">;
  /** Requests of a sign-in or logout that failed because of the identity provider or its answer. */
  readonly providerErrors: Counter<"step">;
  /** Logout tokens of identity providers; `result` is `ok` or the error code. */
  readonly providerLogouts: Counter<"result">;
  /** SCIM requests of identity providers. */
  readonly scimRequests: Counter<"method" | "status">;
  /** Batches of audit entries sent to a receiver; `result` is `sent` or `failed`. */
  readonly auditStreamDeliveries: Counter<"kind" | "result">;
  /** Audit entries of streams; `result` is `sent`, `refused` by the receiver, or `dropped` after too long a wait. */
  readonly auditStreamEntries: Counter<"result">;
  /** Audit entries that wait for their receivers, of all processes. */
  readonly auditStreamWaiting: Gauge;
  /** Seconds since the longest-waiting audit entry was recorded, of all processes. */
  readonly auditStreamOldest: Gauge;
}

export function peopleMetrics(registers: Registry[]): PeopleMetrics {
  return {
    signIns: new Counter({
      name: "muster_sign_ins_total",
      help: "Attempts to sign in to the admin app, by method and result",
      labelNames: ["method", "result"],
      registers,
    }),
    providerErrors: new Counter({
      name: "muster_identity_provider_errors_total",
      help: "Requests that failed because an identity provider was away or answered wrongly, by step",
      labelNames: ["step"],
      registers,
    }),
    providerLogouts: new Counter({
      name: "muster_identity_provider_logouts_total",
      help: "Logout tokens of identity providers, by result",
      labelNames: ["result"],
      registers,
    }),
    scimRequests: new Counter({
      name: "muster_scim_requests_total",
      help: "SCIM requests of identity providers, by method and status",
      labelNames: ["method", "status"],
      registers,
    }),
    ...auditStreamMetrics(registers),
  };
}

function auditStreamMetrics(registers: Registry[]) {
  return {
    auditStreamDeliveries: new Counter({
      name: "muster_audit_stream_deliveries_total",
      help: "Batches of audit entries sent to receivers, by protocol and result",
      labelNames: ["kind", "result"],
      registers,
    }),
    auditStreamEntries: new Counter({
      name: "muster_audit_stream_entries_total",
      help: "Audit entries that were sent, refused by their receiver, or dropped because they waited too long",
      labelNames: ["result"],
      registers,
    }),
    auditStreamWaiting: new Gauge({
      name: "muster_audit_stream_waiting",
      aggregator: "max",
      help: "Audit entries of all processes that wait for their receivers",
      registers,
    }),
    auditStreamOldest: new Gauge({
      name: "muster_audit_stream_oldest_seconds",
      aggregator: "max",
      help: "Age of the longest-waiting audit entry of all processes: the lag of the slowest stream",
      registers,
    }),
  };
}
