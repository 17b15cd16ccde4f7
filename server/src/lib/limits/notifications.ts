import { limitTable } from "./limit.ts";

/** Notifications: what one tenant, address or target may cost delivery. */
export const notifications = limitTable({
  confirmationsPerAddress: {
    level: "tenant",
    of: "confirmation links to one address in 24 hours",
    value: 3,
    reached: "the next link is sent when the day is over",
  },
  confirmationsPerHour: {
    level: "tenant",
    of: "addresses that get a confirmation link in one hour",
    value: 60,
    reached: "further links wait an hour (muster_channel_confirmations_total)",
  },
  confirmPageRequests: {
    level: "address",
    of: "requests a minute for confirmation pages",
    value: 60,
    reached: "429 rate_limited with Retry-After",
  },
  confirmationHours: {
    level: "tenant",
    of: "hours in which a confirmation link can be opened",
    value: 72,
    reached: "the link is refused; muster channel request has another one sent",
    fixed: true,
  },
  mailsPerAddress: {
    level: "tenant",
    of: "mails of the tenant to one address in any 60 seconds, without critical pages",
    value: 20,
    reached: "further ones are combined into a digest",
  },
  digestMessages: {
    level: "tenant",
    of: "messages that one digest combines",
    value: 2_000,
    reached: "the others form the next digest",
    fixed: true,
  },
  digestLines: {
    level: "tenant",
    of: "messages that one digest lists, a line each",
    value: 200,
    reached: "the digest says how many more there are",
    fixed: true,
  },
  mailSlotsPerTenant: {
    level: "tenant",
    of: "mails in transmission, in one process",
    value: 2,
    reached: "further mails of the tenant wait; other tenants do not",
  },
  mailConnections: {
    level: "process",
    of: "connections of one process to the mail server",
    value: 4,
    reached: "mails wait; tenants take turns",
  },
  webhookSlotsPerTenant: {
    level: "tenant",
    of: "webhook calls in flight, of all targets, in one process; half of them for targets that fail",
    value: 4,
    reached: "further calls of the tenant wait; other tenants do not",
  },
  webhookSlotsPerTarget: {
    level: "tenant",
    of: "webhook calls in flight to one target, in one process; one to a target that fails",
    value: 2,
    reached: "further calls to the target wait",
  },
  webhookSlots: {
    level: "process",
    of: "webhook calls of one process in flight; half of them for targets that fail",
    value: 64,
    reached: "further calls wait; tenants take turns, and within a tenant its targets",
  },
  webhookFailures: {
    level: "tenant",
    of: "failed calls to one target in a row",
    value: 3,
    reached:
      "the target is paused for 10 s, growing to 5 min, and tried with one call then (muster_webhook_targets_paused)",
  },
  webhookSeconds: {
    level: "tenant",
    of: "seconds of one webhook call, the look-up of its host included",
    value: 10,
    reached: "the attempt has failed and is repeated later",
    fixed: true,
  },
  webhookAnswerBytes: {
    level: "tenant",
    of: "bytes that are read of the answer to a webhook call",
    value: 65_536,
    reached: "the rest is not read; the status counts",
    fixed: true,
  },
});
