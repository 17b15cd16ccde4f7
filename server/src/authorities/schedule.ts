import { addMs, DAY } from "../lib/clock.ts";
import type { AuthorityRow } from "./authority-store.ts";
import { uncoveredHosts } from "./server-hosts.ts";

/**
 * The times at which a generation must be rotated and may retire: pure functions of rows and a time. docs/pki.md,
 * Rotation, explains the figures.
 */
const LONGEST_LEAF = 365 * DAY;

/** The least remaining validity of an intermediate: 365 days for a leaf, and time to notice a failure. */
export const INTERMEDIATE_NEEDS = 400 * DAY;
/**
 * The least remaining validity of a root; with less, it could not issue an intermediate that is useful for long enough.
 */
export const DEVICE_ROOT_NEEDS = 2 * INTERMEDIATE_NEEDS;
/**
 * The least remaining validity of a server root. It is so long that even devices set up from a bundle, which fetch
 * nothing automatically, get a new bundle before.
 */
export const SERVER_ROOT_NEEDS = 730 * DAY;
/** The time from announcing a server root to using it when its predecessor expires: longer than any leaf is valid. */
export const SCHEDULED_OVERLAP = 400 * DAY;
/**
 * The time from announcing a server root that an operator requested to using it: every self-enrolled device renews
 * within 30 days and receives the root.
 */
export const REQUESTED_OVERLAP = 35 * DAY;
/** The time for which other processes may issue with the previous intermediate, until they have received the NOTIFY. */
const PROPAGATION = DAY;

export function remaining(row: AuthorityRow, now: Date): number {
  return row.not_after.getTime() - now.getTime();
}

/** Returns whether less than a third of the certificate's validity is left. */
export function isInLastThird(row: AuthorityRow, now: Date): boolean {
  return remaining(row, now) * 3 < row.not_after.getTime() - row.not_before.getTime();
}

/**
 * Returns whether a server certificate must be replaced: it expires soon, its root is no longer active, or a host is
 * missing.
 */
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

/** Returns when the next server root becomes active: after the overlap, and well before the previous one expires. */
export function scheduledTakeOver(previous: AuthorityRow, now: Date): Date {
  const latest = addMs(previous.not_after, -120 * DAY);
  const wanted = addMs(now, SCHEDULED_OVERLAP);
  return wanted < latest ? wanted : latest < now ? now : latest;
}

/** Returns whether everything that the retiring `row` has issued has expired. */
export function mayRetire(row: AuthorityRow, rows: readonly AuthorityRow[], now: Date): boolean {
  if (row.not_after <= now) return true;
  const children = rows.filter(({ issuer_id }) => issuer_id === row.id);
  switch (row.role) {
    case "device_intermediate":
      return row.retiring_at !== null && addMs(row.retiring_at, LONGEST_LEAF + PROPAGATION) <= now;
    case "device_root":
      return children.every(({ status }) => status === "retired");
    case "server_root":
      return children.every(({ not_after }) => not_after <= now);
    default:
      return true;
  }
}
