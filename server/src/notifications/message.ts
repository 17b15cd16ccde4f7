import type { EventKind } from "../events/events.ts";

/** A device as messages name it. */
export interface NamedDevice {
  id: string;
  name: string;
  /** The place in its metadata; absent without one. */
  place?: string;
}

export function namedDevice(row: { device_id: string; device_name: string; place: string | null }): NamedDevice {
  return { id: row.device_id, name: row.device_name, ...(row.place !== null && { place: row.place }) };
}

/** A message about an anomaly. Times are ISO 8601. */
export interface AnomalyMessage {
  type: Extract<EventKind, "anomaly.opened" | "anomaly.resolved">;
  at: string;
  /** The time zone of the recipient's shift, used for local times. */
  timeZone: string;
  group: { id: string; name: string };
  device: NamedDevice;
  anomaly: {
    id: string;
    severity: string;
    message: string;
    metric: string | null;
    /** The description of the metric in the device's type. */
    label?: string;
    unit?: string;
    value: unknown;
    limit: unknown;
    openedAt: string;
    resolvedAt: string | null;
    resolvedBy: string | null;
  };
  /** Whether it tells an admin that the pages of the anomaly reached nobody. */
  lastResort?: boolean;
}

/** A notice to a tenant's admins about a certificate. */
export interface CertificateMessage {
  type: NoticeKind;
  at: string;
  timeZone: string;
  device: NamedDevice;
  certificate: { id: string; serialNumber: string; expiresAt: string };
}

/** The reasons for a notice: two events, and two conditions that arise as time passes. */
export type NoticeKind =
  | Extract<EventKind, "certificate.superseded_tried" | "finding.shared_key">
  | "certificate.renewal_overdue"
  | "certificate.expiring";

/** A notice to a tenant's admins that messages about anomalies were suppressed in some minute. */
export interface SuppressedMessage {
  type: "notifications.suppressed";
  /** The start of the minute. */
  at: string;
  timeZone: string;
  suppressed: number;
  /** The number of messages that a tenant may send per minute. */
  limit: number;
}

/** Tests that messages of a group arrive. */
export interface GroupTestMessage {
  type: "group.test";
  at: string;
  timeZone: string;
  group: { id: string; name: string };
  /** The kind of escalation step whose recipients get the message. */
  notify: "shift" | "members" | "channels";
  /** `user:<id>` or `system`. */
  requestedBy: string;
}

/** Tests that messages to a user arrive. */
export interface UserTestMessage {
  type: "user.test";
  at: string;
  timeZone: string;
  user: { email: string };
}

/** Tells a person that a duty has been taken or given back by another, is offered, or is left by an absence. */
export interface DutyMessage {
  type: "duty.changed";
  at: string;
  timeZone: string;
  /** `null` for all groups of an absent user. */
  group: { id: string; name: string } | null;
  duty: {
    change: "offered" | "taken" | "ended" | "absent" | "present" | "uncovered";
    startsAt: string;
    endsAt: string;
    /** The user who takes the duty, or is absent; `null` if it is offered to everyone of the group. */
    user: { email: string } | null;
    /** The user whose duty it is; `null` for that of everybody. */
    replaces: { email: string } | null;
  };
}

/** Tells a person that the duty of a group has passed from some people to others. Sent by mail only. */
export interface HandOverMessage {
  type: "duty.handed_over";
  at: string;
  timeZone: string;
  group: { id: string; name: string };
  handOver: { from: { email: string }[]; to: { email: string }[] };
}

/** Tests that messages arrive at a webhook, and that its receiver can verify them. Never sent by mail. */
export interface WebhookTestMessage {
  type: "webhook.test";
  at: string;
  timeZone: string;
  group: { id: string; name: string };
  webhook: { id: string };
  /** `apikey:<id>`, `user:<id>` or `system`. */
  requestedBy: string;
}

export type SingleMessage =
  | AnomalyMessage
  | CertificateMessage
  | SuppressedMessage
  | GroupTestMessage
  | UserTestMessage
  | DutyMessage
  | HandOverMessage;

/** Many messages to one address, in one mail. */
export interface DigestMessage {
  type: "digest";
  at: string;
  timeZone: string;
  total: number;
  /** The first messages. */
  items: SingleMessage[];
}

/** Asks the receiver at a channel's address to confirm it. Never part of a digest. */
export interface ConfirmationMessage {
  type: "channel.confirmation";
  at: string;
  timeZone: string;
  tenant: { name: string };
  /** The group that uses the address. Absent for a user's own channel. */
  group?: { id: string; name: string };
  user?: { email: string };
  address: string;
  /** The input from which the secret of the link is derived (channels/confirmation-token.ts). */
  confirmation: string;
  /** The hash stored with the address, in hex. Identifies the key used for the derivation. */
  tokenSha256: string;
  expiresAt: string;
}

export type Message = SingleMessage | DigestMessage | ConfirmationMessage | WebhookTestMessage;
