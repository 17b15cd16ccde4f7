import { createHash } from "node:crypto";
import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { describeChange, type RecordedChange } from "../events/events.ts";
import { insertDeliveries, type NewDelivery, toldOf } from "./delivery/delivery-store.ts";
import type { NotificationsDeps } from "./deps.ts";
import type { AnomalyMessage, NoticeKind } from "./message.ts";
import { noticeCertificates } from "./notices/certificate-notices.ts";
import { type AnomalyRow, planPages, readAnomalies, stopPages, takeInbox } from "./paging/page-store.ts";
import type { Recipient } from "./paging/recipients.ts";

const BATCH = 200;

/**
 * Turns what happened into pages, messages and notices, each exactly once: the event leaves the inbox in the transaction
 * that acts on it.
 */
export async function handleInbox(deps: NotificationsDeps): Promise<void> {
  for (;;) {
    const taken = await inTransaction(deps.database.db, async (tx) => {
      const rows = await takeInbox(tx, BATCH);
      await act(deps, tx, rows);
      return rows.length;
    });
    if (taken < BATCH) return;
  }
}

async function act(deps: NotificationsDeps, tx: Tx, changes: readonly RecordedChange[]): Promise<void> {
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
  if (resolved.length > 0) await tellResolved(deps, tx, resolved);
  for (const [kind, certificateId] of notices) await noticeCertificates(deps, tx, kind, { certificateId });
}

/** Whoever was told that it began is told that it is over. */
async function tellResolved({ clock, ids }: NotificationsDeps, tx: Tx, anomalyIds: string[]): Promise<void> {
  const told = await toldOf(tx, anomalyIds);
  if (told.length === 0) return;
  const now = clock.now();
  const anomalies = new Map((await readAnomalies(tx, anomalyIds)).map((row) => [row.id, row]));
  const deliveries = told.flatMap((row): NewDelivery[] => {
    const anomaly = anomalies.get(row.anomaly_id);
    if (!anomaly) return [];
    const to: Recipient = { channel: row.channel, target: row.target, userId: row.user_id, timeZone: row.time_zone };
    const group = { id: row.group_id, name: row.group_name };
    return [anomalyDelivery("anomaly.resolved", anomaly, group, to, { id: ids.uuid(now), now, step: 0 })];
  });
  await insertDeliveries(tx, deliveries, now);
}

/** A message about an anomaly to one recipient. Two groups that tell the same person the same at the same step tell it once. */
export function anomalyDelivery(
  type: AnomalyMessage["type"],
  anomaly: AnomalyRow,
  group: { id: string; name: string },
  to: Recipient,
  { id, now, step }: { id: string; now: Date; step: number },
): NewDelivery {
  const to_ = to.channel === "webhook" ? [to.target, group.id] : [to.target.toLowerCase()];
  const parts = JSON.stringify([anomaly.id, type, step, to.channel, ...to_]);
  return {
    id,
    tenantId: anomaly.tenant_id,
    channel: to.channel,
    target: to.target,
    userId: to.userId,
    groupId: group.id,
    anomalyId: anomaly.id,
    dedupe: createHash("sha256").update(parts).digest(),
    message: {
      type,
      at: (type === "anomaly.resolved" ? (anomaly.resolved_at ?? now) : anomaly.opened_at).toISOString(),
      timeZone: to.timeZone,
      group: { id: group.id, name: group.name },
      device: { id: anomaly.device_id, name: anomaly.device_name },
      anomaly: {
        id: anomaly.id,
        severity: anomaly.severity,
        message: anomaly.message,
        metric: anomaly.metric,
        value: anomaly.value,
        limit: anomaly.breached,
        openedAt: anomaly.opened_at.toISOString(),
        resolvedAt: anomaly.resolved_at?.toISOString() ?? null,
        resolvedBy: anomaly.resolved_by,
      },
    },
  };
}
