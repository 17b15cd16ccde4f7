import { type Bound, bind } from "../access/access.ts";
import { createResolve } from "../lib/outgoing/resolve-host.ts";
import { createAbsence, createOwnAbsence, endAbsence, endOwnAbsence } from "./absences/change-absences.ts";
import { listAbsences, listOwnAbsences } from "./absences/view-absences.ts";
import { getAnomalyPaging, muteRule, snoozeAnomaly } from "./aside/set-aside.ts";
import { createStreamDelivery, type StreamDelivery } from "./audit-stream/deliver-streams.ts";
import { deleteAuditStream, getAuditStream, setAuditStream } from "./audit-stream/manage-stream.ts";
import { measureStreams } from "./audit-stream/measure-streams.ts";
import { getOutage } from "./causes/view-outage.ts";
import { confirmChannel, findConfirmation } from "./channels/confirm-channel.ts";
import { listChannels, requestConfirmation } from "./channels/list-channels.ts";
import { listCoverage } from "./coverage/list-coverage.ts";
import { onCallOfDevice, onCallOfGroup } from "./coverage/on-call.ts";
import { onCallAt } from "./coverage/on-call-at.ts";
import { uncoveredGroups } from "./coverage/uncovered-groups.ts";
import { listDeliveries } from "./delivery/list-deliveries.ts";
import { measureBacklog } from "./delivery/measure-backlog.ts";
import type { NotificationsDeps } from "./deps.ts";
import { createFeed, deleteFeed, listFeeds } from "./feeds/manage-feeds.ts";
import { readFeed } from "./feeds/read-feed.ts";
import {
  createIntegration,
  deleteIntegration,
  listChannelTypes,
  listIntegrations,
} from "./integrations/integrations.ts";
import { sendPlainMail } from "./mail/plain-mail.ts";
import { noticeCertificates } from "./notices/certificate-notices.ts";
import { createOverride, deleteOverride } from "./overrides/change-overrides.ts";
import { agreeToOffer, offerDuty, withdrawOffer } from "./overrides/offer-duty.ts";
import { listOverrides, listOwnDuties } from "./overrides/view-overrides.ts";
import { listGroupChannels } from "./paging/group-channels.ts";
import { listPages } from "./paging/list-pages.ts";
import { readPagingProblems } from "./paging/read-paging-problems.ts";
import { addOwnChannel, removeOwnChannel } from "./personal/own-channels.ts";
import { getOwnNotifications, setOwnNotifications } from "./personal/own-notifications.ts";
import { addOwnPush, getPushKey } from "./personal/own-push.ts";
import { prune } from "./prune.ts";
import { replayPaging } from "./replay/replay-paging.ts";
import { listGroupTests, testGroup } from "./test-messages/test-group.ts";
import { listOwnTests, testOwnNotifications } from "./test-messages/test-own.ts";
import { deleteWebhook, enableWebhook, requestWebhookConfirmation } from "./webhooks/change-webhooks.ts";
import { createWebhook, rotateWebhookSecret } from "./webhooks/create-webhook.ts";
import { showWebhook } from "./webhooks/show-webhook.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";
import { getWebhook, listWebhooks } from "./webhooks/view-webhooks.ts";
import { deleteWindow, endWindow, extendWindow, updateWindow } from "./windows/change-window.ts";
import { createWindow } from "./windows/create-window.ts";
import { getWindow, listWindows } from "./windows/view-windows.ts";
import { createWorker, type NotificationWorker } from "./worker.ts";

export { OUTAGE_KINDS } from "./causes/find-causes.ts";
export type { ConfirmationLink } from "./channels/confirm-channel.ts";
export { endConfirmationLinks } from "./channels/end-links-store.ts";
export type { ChannelRecord } from "./channels/list-channels.ts";
export { DELIVERY_STATES } from "./delivery/delivery-list-store.ts";
export type { NotificationSettings } from "./deps.ts";
export { endDutyFeeds } from "./feeds/feed-store.ts";
export { HELD_BY } from "./holds/hold.ts";
export { encryptIntegrationsAgain } from "./integrations/integration-store.ts";
export { TYPE_NAMES } from "./integrations/registry.ts";
export type { PagingProblems } from "./paging/read-paging-problems.ts";
export { encryptPushKeyAgain } from "./push/push-key-store.ts";
export { COVERS } from "./windows/window-record.ts";

/** The use cases of callers, and jobs: `noticeCertificates` runs at least daily, `prune` every few minutes. */
export const notificationUseCases = {
  onCallOfGroup,
  onCallOfDevice,
  onCallAt,
  listCoverage,
  replayPaging,
  testGroup,
  listGroupTests,
  showWebhook,
  listDeliveries,
  listPages,
  readPagingProblems,
  noticeCertificates,
  prune,
  getAuditStream,
  setAuditStream,
  deleteAuditStream,
  uncoveredGroups,
  measure: measureBacklog,
  measureStreams,
  listChannels,
  listGroupChannels,
  requestConfirmation,
  listWebhooks,
  getWebhook,
  createWebhook,
  deleteWebhook,
  enableWebhook,
  testWebhook,
  rotateWebhookSecret,
  requestWebhookConfirmation,
  findConfirmation,
  confirmChannel,
  sendPlainMail,
  getOwnNotifications,
  setOwnNotifications,
  listIntegrations,
  createIntegration,
  deleteIntegration,
  listChannelTypes,
  addOwnChannel,
  getPushKey,
  addOwnPush,
  removeOwnChannel,
  testOwnNotifications,
  listOwnTests,
  getAnomalyPaging,
  getOutage,
  snoozeAnomaly,
  muteRule,
  createWindow,
  getWindow,
  listWindows,
  updateWindow,
  endWindow,
  extendWindow,
  deleteWindow,
  listOverrides,
  createOverride,
  deleteOverride,
  offerDuty,
  agreeToOffer,
  withdrawOffer,
  listOwnDuties,
  listAbsences,
  createAbsence,
  endAbsence,
  listOwnAbsences,
  createOwnAbsence,
  endOwnAbsence,
  listFeeds,
  createFeed,
  deleteFeed,
  readFeed,
};

/**
 * Notifies people by e-mail and webhook: pages along the escalation of groups, and notices about certificates to
 * admins.
 */
export type Notifications = Bound<typeof notificationUseCases> & NotificationWorker & StreamDelivery;

export function createNotifications(given: Omit<NotificationsDeps, "resolve" | "nodeId">): Notifications {
  let nodeId: string | undefined;
  const deps: NotificationsDeps = { ...given, resolve: createResolve(), nodeId: () => nodeId };
  const worker = createWorker(deps, (id) => {
    nodeId = id;
  });
  return { ...bind(deps, notificationUseCases), ...worker, ...createStreamDelivery(deps) };
}
