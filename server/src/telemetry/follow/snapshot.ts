/**
 * The transactions whose work was visible at an instant, as PostgreSQL's `pg_snapshot` says: all before `xmax` but those that were
 * in progress. Numbers are text, since a double does not hold 64 bits.
 */
export interface Snapshot {
  /** The oldest transaction that was in progress; all before it had ended. */
  xmin: string;
  xmax: string;
  inProgress: readonly string[];
}

/** Parses `xmin:xmax:xip,xip…`. */
export function parseSnapshot(text: string): Snapshot {
  const [xmin = "", xmax = "", inProgress = ""] = text.split(":");
  return { xmin, xmax, inProgress: inProgress === "" ? [] : inProgress.split(",") };
}

/** What remains of a snapshot of which only `xmin` is stored: it shows no more than the whole one did. */
export function snapshotBefore(xmin: string): Snapshot {
  return { xmin, xmax: xmin, inProgress: [] };
}

/** Whether every transaction that is visible in `earlier` is visible in `later`. */
export function covers(later: Snapshot, earlier: Snapshot): boolean {
  const end = BigInt(earlier.xmax);
  if (end > BigInt(later.xmax)) return false;
  return later.inProgress.every((xid) => BigInt(xid) >= end || earlier.inProgress.includes(xid));
}
