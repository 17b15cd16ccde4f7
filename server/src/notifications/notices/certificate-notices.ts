import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type NoticeKind, namedDevice } from "../message.ts";
import { mailAdmins } from "./mail-admins.ts";
import {
  NOTICE_BATCH,
  type NoticeRow,
  recordCertificateNotice,
  recordExpiringNotices,
  recordOverdueNotices,
} from "./notice-store.ts";

/** Notifies the tenant's admins about a certificate, once per reason. */
export async function noticeCertificate(
  deps: NotificationsDeps,
  tx: Tx,
  kind: NoticeKind,
  certificateId: string,
): Promise<void> {
  const now = deps.clock.now();
  await notifyAdmins(deps, tx, kind, await recordCertificateNotice(tx, kind, certificateId, now), now);
}

/** Notifies admins about certificates that are not renewed in time. Must be called at least daily. */
export async function noticeCertificates(deps: NotificationsDeps): Promise<void> {
  const now = deps.clock.now();
  const reasons = [
    ["certificate.renewal_overdue", (tx: Tx) => recordOverdueNotices(tx, now)],
    ["certificate.expiring", (tx: Tx) => recordExpiringNotices(tx, now)],
  ] as const;
  for (const [kind, record] of reasons) {
    let recorded: number;
    do {
      recorded = await inTransaction(deps.database.db, async (tx) => {
        const rows = await record(tx);
        await notifyAdmins(deps, tx, kind, rows, now);
        return rows.length;
      });
    } while (recorded === NOTICE_BATCH);
  }
}

async function notifyAdmins(
  deps: NotificationsDeps,
  tx: Tx,
  type: NoticeKind,
  rows: NoticeRow[],
  now: Date,
): Promise<void> {
  const messageOf = (row: NoticeRow) => ({
    type,
    at: now.toISOString(),
    timeZone: "UTC",
    device: namedDevice(row),
    certificate: { id: row.id, serialNumber: row.serial_number, expiresAt: row.not_after.toISOString() },
  });
  await mailAdmins(deps, tx, rows, messageOf, now);
}
