/**
 * Whose work had been seen at an instant, as PostgreSQL has it (`pg_snapshot`): of all transactions before `next` but those
 * that were `open`. Numbers are text, since 64 bits do not fit a double.
 */
export interface Snapshot {
  /** No transaction before this one was open. */
  oldest: string;
  next: string;
  open: readonly string[];
}

/** Reads `xmin:xmax:xip,xip…`. */
export function toSnapshot(text: string): Snapshot {
  const [oldest = "", next = "", open = ""] = text.split(":");
  return { oldest, next, open: open === "" ? [] : open.split(",") };
}

/** What is left of a snapshot when only its oldest open transaction is remembered: never more than it had seen. */
export function allBefore(oldest: string): Snapshot {
  return { oldest, next: oldest, open: [] };
}

/** Whether everything that was seen at `earlier` had been seen at `later` too. */
export function isSeenBy(later: Snapshot, earlier: Snapshot): boolean {
  const end = BigInt(earlier.next);
  if (end > BigInt(later.next)) return false;
  return later.open.every((xid) => BigInt(xid) >= end || earlier.open.includes(xid));
}
