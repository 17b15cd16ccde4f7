import { common } from "#texts/common.ts";
import { t } from "#texts/words.ts";
import type { Schemas } from "../api/client.ts";
import type { Tone } from "../ui/theme/tones.ts";

type Words<Value extends string> = Readonly<Record<Value, readonly [tone: Tone, label: string]>>;
type Anomaly = Schemas["Anomaly"];
type Ticket = Schemas["TicketWithMoves"];

export const ANOMALY_STATUSES: Words<Anomaly["status"]> = {
  open: ["bad", t.open],
  acknowledged: ["accent", common.acknowledged],
  resolved: ["good", common.resolved],
};

export const SEVERITIES: Words<Anomaly["severity"]> = {
  critical: ["bad", t.critical],
  major: ["warn", t.major],
  minor: ["accent", t.minor],
  warning: ["neutral", t.warning],
};

export const TICKET_STATUSES: Words<Ticket["status"]> = {
  open: ["accent", t.open],
  in_progress: ["warn", t.inProgress],
  on_hold: ["neutral", t.onHold],
  completed: ["good", t.completed],
  cancelled: ["neutral", t.cancelled],
};

export const PRIORITIES: Words<Ticket["priority"]> = {
  urgent: ["bad", t.urgent],
  high: ["warn", t.high],
  medium: ["accent", t.medium],
  low: ["neutral", t.low],
};

export const TICKET_TYPES: Readonly<Record<Ticket["type"], string>> = {
  corrective: t.corrective,
  preventive: t.preventive,
  inspection: t.inspection,
};

/** The acts that give a ticket this status. */
export const TICKET_MOVES: Readonly<Record<Ticket["status"], string>> = {
  in_progress: t.startWork,
  on_hold: t.putOnHold,
  completed: t.complete,
  cancelled: t.cancelTicket,
  open: t.reopen,
};

export const DELIVERY_STATES: Words<Schemas["Delivery"]["state"]> = {
  pending: ["accent", t.pending],
  sent: ["good", t.sent],
  failed: ["bad", t.failed],
  digested: ["good", t.sentWithOthers],
  deferred: ["neutral", t.heldBack],
};

export const PAGE_STATES: Words<Schemas["EscalationPage"]["state"]> = {
  due: ["accent", t.toCome],
  paged: ["good", t.paged],
  nobody: ["bad", t.reachedNobody],
  deferred: ["warn", t.heldBack],
  stopped: ["neutral", t.notNeeded],
  late: ["bad", t.tooLate],
};

/** The reasons that put an escalation step off. */
export const HELD_BY: Readonly<Record<NonNullable<Schemas["EscalationPage"]["heldBy"]>, string>> = {
  window: t.maintenanceWindow,
  snooze: t.snoozed,
  mute: t.ruleMuted,
  flapping: t.flapping,
  cause: t.waitsForOthers,
  outage: t.partOfOutage,
  dependency: t.dependsOnSilent,
};

/** The reasons that hold a message back: a quiet choice of its user, or a maintenance window. */
export const DEFERRED_BY: Readonly<Record<NonNullable<Schemas["Delivery"]["deferredBy"]>, string>> = {
  quiet_hours: t.quietHoursOfTheUser,
  off_shift: t.theUserWantsPagesOn,
  held: t.maintenanceWindow,
};

/** The people or channels that an escalation step pages. */
export const NOTIFIED: Readonly<Record<Schemas["EscalationPage"]["notify"], string>> = {
  shift: t.whoIsOnShift,
  members: t.allMembers,
  channels: t.theChannels,
};

const MESSAGES: Readonly<Record<string, string>> = {
  "anomaly.opened": t.anomalyOpened,
  "anomaly.resolved": t.anomalyResolved,
  "certificate.renewal_overdue": t.renewalOverdue,
  "certificate.expiring": t.certificateExpiresSoon,
  "certificate.superseded_tried": t.replacedCertificateWasUsed,
  "finding.shared_key": t.keySharedByTwoDevices,
  "duty.changed": t.dutyChanged,
  "duty.handed_over": t.dutyHandedOver,
  "user.test": t.testOfOwnChannels,
  "group.test": t.testOfAGroup,
  "channel.confirmation": t.confirmationOfAChannel,
  "notifications.suppressed": t.messagesHeldBack,
  digest: t.severalMessages,
};

export function nameOfMessage(type: string): string {
  return MESSAGES[type] ?? type;
}
