import { foundation } from "./0001-foundation.ts";
import { apiWrites } from "./0002-api-writes.ts";
import { countedLists } from "./0003-counted-lists.ts";
import { shifts } from "./0004-shifts.ts";
import { thresholdsAnomalies } from "./0005-thresholds-anomalies.ts";
import { tickets } from "./0006-tickets.ts";
import { keyWindows } from "./0007-key-windows.ts";
import { telemetryStorage } from "./0008-telemetry-storage.ts";
import { evaluation } from "./0009-evaluation.ts";
import { events } from "./0010-events.ts";
import { notifications } from "./0011-notifications.ts";
import { changingPacks } from "./0012-changing-packs.ts";
import { releasedDeliveries } from "./0013-released-deliveries.ts";
import { ownership } from "./0014-ownership.ts";
import { adminAudit } from "./0015-admin-audit.ts";
import { blockedAndRetiredKeys } from "./0016-blocked-and-retired-keys.ts";
import { fairNotifications } from "./0017-fair-notifications.ts";
import { deliveryCaps } from "./0018-delivery-caps.ts";
import { quotas } from "./0019-quotas.ts";
import { telemetryDeletions } from "./0020-telemetry-deletions.ts";
import { refusalCounts } from "./0021-refusal-counts.ts";
import { dampedPresence } from "./0022-damped-presence.ts";
import { leastPrivilege } from "./0023-least-privilege.ts";
import { confirmedChannels } from "./0024-confirmed-channels.ts";
import { listedAudits } from "./0025-listed-audits.ts";
import { certificateStates } from "./0026-certificate-states.ts";
import { transientAnomalies } from "./0027-transient-anomalies.ts";
import { certificateLists } from "./0028-certificate-lists.ts";
import { overviews } from "./0030-overviews.ts";
import { anomalyStatements } from "./0031-anomaly-statements.ts";
import { deliveryQuota } from "./0033-delivery-quota.ts";
import { rejectedPayloadStarts } from "./0035-rejected-payload-starts.ts";
import { deviceCommands } from "./0036-device-commands.ts";
import { apiAdditions } from "./api/0042-api-additions.ts";
import { webhooks } from "./api/0043-webhooks.ts";
import { forgottenWebhooks } from "./api/0049-forgotten-webhooks.ts";
import { askedWebhooks } from "./api/0076-asked-webhooks.ts";
import { storedSessions } from "./broker/0040-stored-sessions.ts";
import { retainedMessages } from "./broker/0046-retained-messages.ts";
import { subscriptionIdentifiers } from "./broker/0047-subscription-identifiers.ts";
import { delayedWills } from "./broker/0048-delayed-wills.ts";
import { nodeRecords } from "./broker/0053-node-records.ts";
import { reapedNodes } from "./broker/0054-reaped-nodes.ts";
import { nodeLeases } from "./broker/0055-node-leases.ts";
import { concernedNodes } from "./broker/0061-concerned-nodes.ts";
import { shortVisits } from "./broker/0065-short-visits.ts";
import { leanConnects } from "./broker/0067-lean-connects.ts";
import { completeNodes } from "./broker/0070-complete-nodes.ts";
import { completingNodes } from "./broker/0075-completing-nodes.ts";
import { leanIssuance } from "./enrollment/0059-lean-issuance.ts";
import { certificateIndexes } from "./enrollment/0063-certificate-indexes.ts";
import { filteredLists } from "./lists/0071-filtered-lists.ts";
import { ticketComments } from "./monitoring/0037-ticket-comments.ts";
import { groups } from "./monitoring/0038-groups.ts";
import { failedDeliveries } from "./monitoring/0039-failed-deliveries.ts";
import { lostRenewals } from "./monitoring/0041-lost-renewals.ts";
import { personalNotifications } from "./monitoring/0044-personal-notifications.ts";
import { ownWebhooks } from "./monitoring/0050-own-webhooks.ts";
import { mailsToMailboxes } from "./monitoring/0051-mails-to-mailboxes.ts";
import { releasedByDuty } from "./monitoring/0052-released-by-duty.ts";
import { deviceLatest } from "./monitoring/0056-device-latest.ts";
import { earlierLatest } from "./monitoring/0057-earlier-latest.ts";
import { silenceChecks } from "./monitoring/0058-silence-checks.ts";
import { messageRows } from "./monitoring/0060-message-rows.ts";
import { changedPacks } from "./monitoring/0062-changed-packs.ts";
import { mailboxes } from "./monitoring/0080-mailboxes.ts";
import { sessions } from "./people/0029-sessions.ts";
import { people } from "./people/0032-people.ts";
import { factors } from "./people/0034-factors.ts";
import { savedFilters } from "./people/0045-saved-filters.ts";
import { presentRights } from "./people/0077-present-rights.ts";
import { commandedDevices } from "./people/0078-commanded-devices.ts";
import { clientOwners } from "./people/0079-client-owners.ts";
import { ingestStream } from "./telemetry/0064-ingest-stream.ts";
import { hourChunks } from "./telemetry/0066-hour-chunks.ts";
import { turnsOfTenants } from "./telemetry/0068-turns-of-tenants.ts";
import { nodesReadChunks } from "./telemetry/0069-nodes-read-chunks.ts";
import { minutesInChunks } from "./telemetry/0072-minutes-in-chunks.ts";
import { failedHours } from "./telemetry/0073-failed-hours.ts";
import { hoursInSteps } from "./telemetry/0074-hours-in-steps.ts";
import { oneForm } from "./telemetry/0081-one-form.ts";

/** A step of the schema. Forward only: a step that has shipped is never edited, a later one mends it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /**
   * Indexes of tables of earlier steps, as they follow CREATE INDEX. PostgreSQL builds them before `sql` runs, which creates what does not exist yet,
   * while processes go on writing the tables.
   */
  readonly indexes?: readonly string[];
}

/** Every step in order; `number` counts from 1 without gaps. */
export const migrations: readonly Migration[] = [
  { number: 1, name: "foundation", sql: foundation },
  { number: 2, name: "api writes", sql: apiWrites },
  { number: 3, name: "counted lists", sql: countedLists },
  { number: 4, name: "shifts", sql: shifts },
  { number: 5, name: "thresholds and anomalies", sql: thresholdsAnomalies },
  { number: 6, name: "tickets", sql: tickets },
  { number: 7, name: "key windows", sql: keyWindows },
  { number: 8, name: "telemetry storage", sql: telemetryStorage },
  { number: 9, name: "evaluation", sql: evaluation },
  { number: 10, name: "events", sql: events },
  { number: 11, name: "notifications", sql: notifications },
  { number: 12, name: "changing packs", sql: changingPacks },
  { number: 13, name: "released deliveries", sql: releasedDeliveries },
  { number: 14, name: "ownership", sql: ownership },
  { number: 15, name: "administrative audit", sql: adminAudit },
  { number: 16, name: "blocked and retired keys", sql: blockedAndRetiredKeys },
  { number: 17, name: "fair notifications", sql: fairNotifications },
  { number: 18, name: "delivery caps", sql: deliveryCaps },
  { number: 19, name: "quotas", sql: quotas },
  { number: 20, name: "telemetry deletions", sql: telemetryDeletions },
  { number: 21, name: "refusal counts", sql: refusalCounts },
  { number: 22, name: "damped presence", sql: dampedPresence },
  { number: 23, name: "least privilege", sql: leastPrivilege },
  { number: 24, name: "confirmed channels", sql: confirmedChannels },
  { number: 25, name: "listed audits", sql: listedAudits },
  { number: 26, name: "certificate states", sql: certificateStates },
  { number: 27, name: "transient anomalies", sql: transientAnomalies },
  { number: 28, name: "certificate lists", sql: certificateLists },
  { number: 29, name: "sessions", sql: sessions },
  { number: 30, name: "overviews", sql: overviews },
  { number: 31, name: "anomaly statements", sql: anomalyStatements },
  { number: 32, name: "people", sql: people },
  { number: 33, name: "delivery quota", sql: deliveryQuota },
  { number: 34, name: "second factors", sql: factors },
  { number: 35, name: "rejected payload starts", sql: rejectedPayloadStarts },
  { number: 36, name: "device commands", sql: deviceCommands },
  { number: 37, name: "ticket comments", sql: ticketComments },
  { number: 38, name: "groups", sql: groups },
  { number: 39, name: "failed deliveries", sql: failedDeliveries },
  { number: 40, name: "stored sessions", sql: storedSessions },
  { number: 41, name: "lost renewals", sql: lostRenewals },
  { number: 42, name: "api additions", sql: apiAdditions },
  { number: 43, name: "webhooks", sql: webhooks },
  { number: 44, name: "personal notifications", sql: personalNotifications },
  { number: 45, name: "saved filters", sql: savedFilters },
  { number: 46, name: "retained messages", sql: retainedMessages },
  { number: 47, name: "subscription identifiers", sql: subscriptionIdentifiers },
  { number: 48, name: "delayed wills", sql: delayedWills },
  { number: 49, name: "forgotten webhooks", sql: forgottenWebhooks },
  { number: 50, name: "own webhooks", sql: ownWebhooks },
  { number: 51, name: "mails to mailboxes", sql: mailsToMailboxes },
  { number: 52, name: "released by duty", sql: releasedByDuty },
  { number: 53, name: "node records", sql: nodeRecords },
  { number: 54, name: "reaped nodes", sql: reapedNodes },
  { number: 55, name: "node leases", sql: nodeLeases },
  { number: 56, name: "device latest", sql: deviceLatest },
  { number: 57, name: "earlier latest values", sql: earlierLatest },
  { number: 58, name: "silence checks", sql: silenceChecks },
  { number: 59, name: "lean issuance", sql: leanIssuance },
  { number: 60, name: "message rows", sql: messageRows },
  { number: 61, name: "concerned nodes", sql: concernedNodes },
  { number: 62, name: "changed packs", sql: changedPacks },
  { number: 63, name: "certificate indexes", sql: certificateIndexes },
  { number: 64, name: "ingest stream", sql: ingestStream },
  { number: 65, name: "short visits", sql: shortVisits },
  { number: 66, name: "hour chunks", sql: hourChunks },
  { number: 67, name: "lean connects", sql: leanConnects },
  { number: 68, name: "turns of tenants", sql: turnsOfTenants },
  { number: 69, name: "nodes read chunks", sql: nodesReadChunks },
  { number: 70, name: "complete nodes", sql: completeNodes },
  { number: 71, name: "filtered lists", ...filteredLists },
  { number: 72, name: "minutes in chunks", sql: minutesInChunks },
  { number: 73, name: "failed hours", sql: failedHours },
  { number: 74, name: "hours in steps", sql: hoursInSteps },
  { number: 75, name: "completing nodes", sql: completingNodes },
  { number: 76, name: "asked webhooks", sql: askedWebhooks },
  { number: 77, name: "present rights", sql: presentRights },
  { number: 78, name: "commanded devices", sql: commandedDevices },
  { number: 79, name: "client owners", sql: clientOwners },
  { number: 80, name: "mailboxes", sql: mailboxes },
  { number: 81, name: "one form of telemetry", sql: oneForm },
];
