import { addMs, DAY } from "../lib/clock.ts";
import type { AuthorityRow } from "./authority-store.ts";
import { uncoveredHosts } from "./server-hosts.ts";

/**
 * When a generation must be followed by the next, and when it may go. Pure: rows and a time in, a verdict out.
 * The figures are explained in docs/pki.md, Rotation.
 */
const LONGEST_LEAF = 365 * DAY;

/** An intermediate with less left could not sign a leaf of 365 days; the rest is time to notice. */
export const INTERMEDIATE_NEEDS = 400 * DAY;
/** A root with less left could not make an intermediate that lasts. */
export const DEVICE_ROOT_NEEDS = 2 * INTERMEDIATE_NEEDS;
/** A server root is followed so early that even a bundle's device, which fetches nothing by itself, is re-issued before. */
export const SERVER_ROOT_NEEDS = 730 * DAY;
/** From announcing a server root to using it where its end is the reason: longer than any leaf lives. */
export const SCHEDULED_OVERLAP = 400 * DAY;
/** The same where an operator asked: every self-enrolled device renews within 30 days and learns of it then. */
export const REQUESTED_OVERLAP = 35 * DAY;
/** Other processes may issue for a moment after the change, until they hear of it. */
const HEARING_OF_IT = DAY;

export function remaining(row: AuthorityRow, now: Date): number {
  return row.not_after.getTime() - now.getTime();
}

/** Whether less than a third of the certificate's validity is left. */
export function isInLastThird(row: AuthorityRow, now: Date): boolean {
  return remaining(row, now) * 3 < row.not_after.getTime() - row.not_before.getTime();
}

/** Whether a server certificate should be re-issued: its end is near, its root was succeeded, or a host is missing. */
export function serverCertificateIsDue(
  row: AuthorityRow,
  activeRoot: AuthorityRow,
  hosts: readonly string[],
  now: Date,
): boolean {
  return (
    isInLastThird(row, now) || row.issuer_id !== activeRoot.id || uncoveredHosts(row.certificate_der, hosts).length > 0
  );
}

/** When to take a follower of the server root into use: after the overlap, but well before the old one ends. */
export function scheduledTakeOver(old: AuthorityRow, now: Date): Date {
  const latest = addMs(old.not_after, -120 * DAY);
  const wanted = addMs(now, SCHEDULED_OVERLAP);
  return wanted < latest ? wanted : latest < now ? now : latest;
}

/** Whether nothing that `row`, which is retiring, has issued can still be valid. */
export function mayRetire(row: AuthorityRow, rows: readonly AuthorityRow[], now: Date): boolean {
  if (row.not_after <= now) return true;
  const children = rows.filter(({ issuer_id }) => issuer_id === row.id);
  switch (row.role) {
    case "device_intermediate":
      return row.retiring_at !== null && addMs(row.retiring_at, LONGEST_LEAF + HEARING_OF_IT) <= now;
    case "device_root":
      return children.every(({ status }) => status === "retired");
    case "server_root":
      return children.every(({ not_after }) => not_after <= now);
    default:
      return true;
  }
}
