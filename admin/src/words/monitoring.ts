import type { Schemas } from "../api/client.ts";
import type { Tone } from "../ui/theme/tones.ts";

type Words<Value extends string> = Readonly<Record<Value, readonly [tone: Tone, label: string]>>;
type Anomaly = Schemas["Anomaly"];
type Ticket = Schemas["TicketWithMoves"];

export const ANOMALY_STATUSES: Words<Anomaly["status"]> = {
  open: ["bad", "Open"],
  acknowledged: ["accent", "Acknowledged"],
  resolved: ["good", "Resolved"],
};

export const SEVERITIES: Words<Anomaly["severity"]> = {
  critical: ["bad", "Critical"],
  major: ["warn", "Major"],
  minor: ["accent", "Minor"],
  warning: ["neutral", "Warning"],
};

export const TICKET_STATUSES: Words<Ticket["status"]> = {
  open: ["accent", "Open"],
  in_progress: ["warn", "In progress"],
  on_hold: ["neutral", "On hold"],
  completed: ["good", "Completed"],
  cancelled: ["neutral", "Cancelled"],
};

export const PRIORITIES: Words<Ticket["priority"]> = {
  urgent: ["bad", "Urgent"],
  high: ["warn", "High"],
  medium: ["accent", "Medium"],
  low: ["neutral", "Low"],
};

export const TICKET_TYPES: Readonly<Record<Ticket["type"], string>> = {
  corrective: "Corrective",
  preventive: "Preventive",
  inspection: "Inspection",
};

/** The acts that give a ticket this status. */
export const TICKET_MOVES: Readonly<Record<Ticket["status"], string>> = {
  in_progress: "Start work",
  on_hold: "Put on hold",
  completed: "Complete",
  cancelled: "Cancel ticket",
  open: "Reopen",
};

export const DELIVERY_STATES: Words<Schemas["Delivery"]["state"]> = {
  pending: ["accent", "Pending"],
  sent: ["good", "Sent"],
  failed: ["bad", "Failed"],
  digested: ["good", "Sent with others"],
  deferred: ["neutral", "Held back"],
};

export const PAGE_STATES: Words<Schemas["EscalationPage"]["state"]> = {
  due: ["accent", "To come"],
  paged: ["good", "Paged"],
  nobody: ["bad", "No recipients"],
  deferred: ["warn", "Held back"],
  stopped: ["neutral", "Not needed"],
  late: ["bad", "Too late"],
};

/** The quiet choice of a user that held a message back. */
export const DEFERRED_BY: Readonly<Record<NonNullable<Schemas["Delivery"]["deferredBy"]>, string>> = {
  quiet_hours: "quiet hours of the user",
  off_shift: "the user wants pages on duty only",
};

/** The receivers of a step of escalation. */
export const NOTIFIED: Readonly<Record<Schemas["EscalationPage"]["notify"], string>> = {
  shift: "who is on shift",
  members: "all members",
  channels: "the channels",
};

const MESSAGES: Readonly<Record<string, string>> = {
  "anomaly.opened": "Anomaly opened",
  "anomaly.resolved": "Anomaly resolved",
  "certificate.renewal_overdue": "Renewal overdue",
  "certificate.expiring": "Certificate expires soon",
  "certificate.superseded_tried": "Replaced certificate was used",
  "finding.shared_key": "Key shared by two devices",
  "user.test": "Test of own channels",
  "group.test": "Test of a group",
  "channel.confirmation": "Confirmation of a channel",
  "notifications.suppressed": "Messages held back",
  digest: "Several messages",
};

export function nameOfMessage(type: string): string {
  return MESSAGES[type] ?? type;
}
