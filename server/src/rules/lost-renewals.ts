import type { RulesDeps } from "./deps.ts";
import {
  findLostRenewals,
  type LostRenewal,
  type LostRenewalRow,
  openLostRenewalAnomalies,
  resolveLostRenewalAnomalies,
} from "./lost-renewal-store.ts";

/** The maximum number of anomalies that one statement opens. */
const BATCH = 1_000;

/**
 * Opens an anomaly for each certificate that was not renewed in time and that a group of its device is paged about.
 * Each certificate gets one anomaly, whichever processes poll. Resolves it when the device has a new certificate.
 */
export async function pollLostRenewals({ database: { db }, clock, ids }: RulesDeps): Promise<void> {
  const now = clock.now();
  await resolveLostRenewalAnomalies(db, now);
  for (let more = true; more; ) {
    const found = await findLostRenewals(db, now, BATCH);
    const rows = found.map((each) => ({ id: ids.uuid(now), ...rowOf(each) }));
    if (rows.length > 0) await openLostRenewalAnomalies(db, rows, now);
    more = found.length === BATCH;
  }
}

function rowOf({ certificateId, kind, dueAt, notAfter }: LostRenewal): Omit<LostRenewalRow, "id"> {
  const row = { certificate_id: certificateId, value: notAfter.toISOString(), breached: dueAt.toISOString() };
  const end = dayOf(notAfter);
  if (kind === "platform")
    return { ...row, severity: "minor", message: `The device's bundle ends on ${end}, and no new one is installed` };
  const message = `The device should have renewed its certificate on ${dayOf(dueAt)}; it ends on ${end}`;
  return { ...row, severity: "major", message };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
