import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { describeChange } from "../events/events.ts";
import type { NotificationsDeps } from "./deps.ts";
import type { NoticeKind } from "./message.ts";
import { noticeCertificate } from "./notices/certificate-notices.ts";
import { dequeueChanges, type InboxChange } from "./paging/inbox-store.ts";
import { notifyResolved } from "./paging/notify-resolved.ts";
import { planPages, stopPages } from "./paging/page-store.ts";
import { type TenantTurn, takeTurn } from "./paging/take-turns.ts";

/**
 * Turns events into pages, messages and notices, exactly once each: an event leaves the inbox in the transaction that
 * handles it. Tenants take turns.
 *
 * @returns whether the inbox may contain more events
 */
export async function handleInbox(deps: NotificationsDeps, turn: TenantTurn): Promise<boolean> {
  return await takeTurn(turn, (after) =>
    inTransaction(deps.database.db, async (tx) => {
      const changes = await dequeueChanges(tx, after);
      await handle(deps, tx, changes);
      return changes.at(-1)?.tenantId;
    }),
  );
}

async function handle(deps: NotificationsDeps, tx: Tx, changes: readonly InboxChange[]): Promise<void> {
  const [opened, ended, resolved]: [string[], string[], string[]] = [[], [], []];
  const notices: [NoticeKind, certificateId: string][] = [];
  for (const { kind, data } of changes.map(describeChange)) {
    if (kind === "anomaly.opened") opened.push(data.anomalyId);
    if (kind === "anomaly.acknowledged" || kind === "anomaly.resolved") ended.push(data.anomalyId);
    if (kind === "anomaly.resolved") resolved.push(data.anomalyId);
    if (kind === "certificate.superseded_tried" || kind === "finding.shared_key")
      if (data.certificateId !== null) notices.push([kind, data.certificateId]);
  }
  if (opened.length > 0) await planPages(tx, opened);
  if (ended.length > 0) await stopPages(tx, ended);
  if (resolved.length > 0) await notifyResolved(deps, tx, resolved);
  for (const [kind, certificateId] of notices) await noticeCertificate(deps, tx, kind, certificateId);
}
