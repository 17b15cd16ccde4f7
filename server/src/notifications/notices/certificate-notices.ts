import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { insertDeliveries, type NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { NoticeKind } from "../message.ts";
import { admins, type NoticedRow, noteCertificate, noteExpiring, noteOverdue } from "./notice-store.ts";

/** How long after `renewAfterUtc` a device that has not renewed is somebody's business. */
const OVERDUE_MS = 2 * DAY;
/** As `certificateState: expiring` (docs/spec-decisions.md). */
const EXPIRING_MS = 30 * DAY;
const BATCH = 500;

/** Tells the admins of a certificate, unless they have been told so of it before. */
export async function noticeCertificates(
  deps: NotificationsDeps,
  tx: Tx,
  kind: NoticeKind,
  { certificateId }: { certificateId: string },
): Promise<void> {
  const now = deps.clock.now();
  await tell(deps, tx, kind, await noteCertificate(tx, kind, certificateId, now), now);
}

/** Looks for certificates that nobody renews in time; to be called at least daily. */
export async function noticeEnding(deps: NotificationsDeps): Promise<void> {
  const now = deps.clock.now();
  const looks = [
    ["certificate.renewal_overdue", (tx: Tx) => noteOverdue(tx, addMs(now, -OVERDUE_MS), now)],
    ["certificate.expiring", (tx: Tx) => noteExpiring(tx, addMs(now, EXPIRING_MS), now)],
  ] as const;
  for (const [kind, look] of looks) {
    let found: number;
    do {
      found = await inTransaction(deps.database.db, async (tx) => {
        const rows = await look(tx);
        await tell(deps, tx, kind, rows, now);
        return rows.length;
      });
    } while (found === BATCH);
  }
}

async function tell(
  { ids }: NotificationsDeps,
  tx: Tx,
  type: NoticeKind,
  rows: NoticedRow[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const people = await admins(tx, [...new Set(rows.map((row) => row.tenant_id))]);
  const deliveries = rows.flatMap((row) =>
    people
      .filter((admin) => admin.tenant_id === row.tenant_id)
      .map(
        (admin): NewDelivery => ({
          id: ids.uuid(now),
          tenantId: row.tenant_id,
          channel: "email",
          target: admin.email,
          userId: admin.id,
          groupId: null,
          anomalyId: null,
          dedupe: null,
          message: {
            type,
            at: now.toISOString(),
            timeZone: "UTC",
            device: { id: row.device_id, name: row.device_name },
            certificate: { id: row.id, serialNumber: row.serial_number, expiresAt: row.not_after.toISOString() },
          },
        }),
      ),
  );
  await insertDeliveries(tx, deliveries, now);
}
