/**
 * The transactions visible at an instant, as in PostgreSQL's `pg_snapshot`: all before `xmax` except those in progress.
 * Numbers are text, since a double cannot represent 64 bits.
 */
export interface Snapshot {
  /** The oldest transaction in progress; all earlier ones had ended. */
  xmin: string;
  xmax: string;
  inProgress: readonly string[];
}

/** Parses `xmin:xmax:xip,xip…`. */
export function parseSnapshot(text: string): Snapshot {
  const [xmin = "", xmax = "", inProgress = ""] = text.split(":");
  return { xmin, xmax, inProgress: inProgress === "" ? [] : inProgress.split(",") };
}

/** Rebuilds a snapshot from a stored `xmin` alone. It shows at most what the original showed. */
export function snapshotBefore(xmin: string): Snapshot {
  return { xmin, xmax: xmin, inProgress: [] };
}

/** Checks whether `later` shows every transaction that `earlier` shows. */
export function covers(later: Snapshot, earlier: Snapshot): boolean {
  const end = BigInt(earlier.xmax);
  if (end > BigInt(later.xmax)) return false;
  return later.inProgress.every((xid) => BigInt(xid) >= end || earlier.inProgress.includes(xid));
}
