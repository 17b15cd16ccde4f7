import { z } from "zod";
import { ANOMALY_CAUSES, ANOMALY_STATUSES, SEVERITIES } from "../anomalies/anomalies.ts";
import { COMMAND_STATES } from "../commands/commands.ts";
import { REFUSAL_REASONS } from "../connections/connections.ts";
import { CHANNEL_KINDS, DAYS_OF_WEEK } from "../groups/groups.ts";
import { COVERS, HELD_BY } from "../notifications/notifications.ts";
import { OPERATORS } from "../rules/rules.ts";
import { TICKET_PRIORITIES, TICKET_STATUSES, TICKET_TYPES } from "../tickets/tickets.ts";

/**
 * Enumerations and values that are components of the OpenAPI documents, so that generated clients have one type for
 * each of them.
 */

export const CONNECTIVITY = z.enum(["never_seen", "online", "offline"]).meta({ id: "Connectivity" });
export const CERTIFICATE_STATE = z
  .enum(["none", "active", "renewal_due", "expiring", "expired", "revoked"])
  .meta({ id: "CertificateState" });
export const CLAIM_STATUS = z.enum(["pending", "used", "revoked"]).meta({ id: "ClaimStatus" });
export const CERTIFICATE_KIND = z.enum(["self_enrolled", "platform"]).meta({ id: "CertificateKind" });
export const CERTIFICATE_STATUS = z.enum(["active", "revoked"]).meta({ id: "CertificateStatus" });
export const REVOCATION_REASON = z
  .enum(["superseded", "requested", "device_deleted"])
  .meta({ id: "RevocationReason", description: "Why it was revoked; `superseded` means by a renewal" });
export const CERTIFICATE_EVENT = z
  .enum(["device_cert_minted", "device_cert_enrolled", "device_cert_renewed", "device_cert_revoked"])
  .meta({ id: "CertificateEvent" });
export const CHANNEL_TYPE = z.enum(CHANNEL_KINDS).meta({
  id: "ChannelType",
  description: "An e-mail address, an https address that receives signed POSTs, or a configured chat or paging service",
});
export const NOTIFY = z.enum(["shift", "members", "channels"]).meta({
  id: "Notify",
  description: "The users on duty on the group's shifts, all its members, or its channels",
});
export const DAY_OF_WEEK = z.enum(DAYS_OF_WEEK).meta({ id: "DayOfWeek" });
export const COVERED = z.enum(COVERS).meta({
  id: "Covered",
  description: "Every device, those of a group or of a device type, or the named ones",
});
export const HELD = z.enum(HELD_BY).meta({
  id: "HeldBy",
  description:
    "A maintenance window, a snooze of the anomaly, a mute of its rule on the device, that the rule flaps, that the page waits for other silent devices, that the page of an outage stands for it, or that the device on which this one depends is silent",
});
export const SEVERITY = z.enum(SEVERITIES).meta({ id: "Severity" });
export const OPERATOR = z.enum(OPERATORS).meta({
  id: "Operator",
  description:
    "The comparison that violates the rule: greater (`gt`), greater or equal (`gte`), less (`lt`), less or equal (`lte`), equal (`eq`), not equal (`ne`), or outside a range, which includes its ends",
});
export const ANOMALY_STATUS = z.enum(ANOMALY_STATUSES).meta({
  id: "AnomalyStatus",
  description: "`open`, then `acknowledged` by a person, then `resolved`; an open one may be resolved directly",
});
export const ANOMALY_CAUSE = z.enum(ANOMALY_CAUSES).meta({
  id: "AnomalyCause",
  description: "A rule, the silence of the device, or a certificate that was not renewed in time",
});
export const TICKET_TYPE = z.enum(TICKET_TYPES).meta({ id: "TicketType" });
export const TICKET_PRIORITY = z.enum(TICKET_PRIORITIES).meta({ id: "TicketPriority" });
export const TICKET_STATUS = z.enum(TICKET_STATUSES).meta({
  id: "TicketStatus",
  description:
    "`open` → `in_progress` ⇄ `on_hold`; the latter two → `completed`; any unfinished status → `cancelled`; `completed` and `cancelled` → `open` again",
});
export const COMMAND_STATE = z.enum(COMMAND_STATES).meta({
  id: "CommandState",
  description:
    "`waiting`: no session of the device was given it yet. `sent`: one was, and the device has not acknowledged it. A late acknowledgement prevails over `expired` and `cancelled`",
});
export const PAYLOAD_ENCODING = z.enum(["text", "base64"]).meta({ id: "PayloadEncoding" });
export const COMMAND_RESULT = z.enum(["queued", "refused"]).meta({ id: "CommandResult" });
export const WEBHOOK_STATE = z.enum(["waiting", "requested", "expired", "confirmed", "disabled"]).meta({
  id: "WebhookState",
  description:
    "`waiting`: its receiver will be asked to confirm it. `requested`: it was asked. `expired`: it has not answered in time. `confirmed`: messages are sent. `disabled`: it answered `410`, so nothing is sent",
});
export const WEBHOOK_CHECK_TYPE = z.enum(["channel.confirmation", "webhook.test"]).meta({ id: "WebhookCheckType" });
export const ATTEMPT_STATE = z.enum(["pending", "sent", "failed"]).meta({ id: "AttemptState" });

/** An enumeration to which later versions add values (`x-extensible-enum`). */
export const REFUSAL_REASON = z.string().meta({
  id: "RefusalReason",
  "x-extensible-enum": Object.keys(REFUSAL_REASONS),
  description: "One of the refusal reasons of docs/operations/refusals.md; later versions may add reasons",
});

const NUMBER = z.number().meta({ id: "NumberValue" });
const BOOLEAN = z.boolean().meta({ id: "BooleanValue" });

/** A value that a device measures. */
export const METRIC_VALUE = z
  .union([NUMBER, BOOLEAN, z.string().meta({ id: "TextValue" })])
  .meta({ id: "MetricValue", description: "A number, true, false or a text" });

/** A number, true, false or a text; for `outside` a pair. The use case checks which of them the operator accepts. */
export const RULE_VALUE = z
  .union([
    NUMBER,
    BOOLEAN,
    z.string().max(1024).meta({ id: "RuleTextValue" }),
    z.tuple([z.number(), z.number()]).meta({ id: "RangeValue" }),
  ])
  .meta({ id: "RuleValue" });
