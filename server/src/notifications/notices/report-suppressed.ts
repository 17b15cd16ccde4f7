import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { minuteOf } from "../cap/accept-deliveries.ts";
import { type SuppressedRow, takeSuppressed } from "../cap/admission-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { mailAdmins } from "./mail-admins.ts";

const BATCH = 100;

/**
 * @returns a function that may be called as often as desired; it reports once per clock minute, after the minute is
 *   over
 */
export function suppressedReports(deps: NotificationsDeps): () => Promise<void> {
  let reported = 0;
  return async () => {
    const minute = minuteOf(deps.clock.now()).getTime();
    if (minute === reported) return;
    await reportSuppressed(deps);
    reported = minute;
  };
}

/** Sends a tenant's admins one e-mail for each past minute in which messages were suppressed. */
async function reportSuppressed(deps: NotificationsDeps): Promise<void> {
  for (;;) {
    const reported = await inTransaction(deps.database.db, (tx) => reportBatch(deps, tx));
    if (reported < BATCH) return;
  }
}

async function reportBatch(deps: NotificationsDeps, tx: Tx): Promise<number> {
  const now = deps.clock.now();
  const rows = await takeSuppressed(tx, minuteOf(now), BATCH, deps.limits.deliveriesPerMinute);
  const messageOf = ({ minute, suppressed, most }: SuppressedRow) => ({
    type: "notifications.suppressed" as const,
    at: minute.toISOString(),
    timeZone: "UTC",
    suppressed,
    limit: most,
  });
  await mailAdmins(deps, tx, rows, messageOf, now);
  return rows.length;
}
