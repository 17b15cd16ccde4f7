import type { Db } from "../../db/database.ts";
import { type LatestValue, toLatest } from "../read/latest.ts";
import { type ChangedRow, type ChangeScope, currentSnapshot, type RowKey, selectChanged } from "./changes-store.ts";
import type { Snapshot } from "./snapshot.ts";

/** The number of values per page. Only a device with more values than that is spread over several pages. */
const PAGE_SIZE = 3_000;

/**
 * The read position of a follower. When the changes do not fit a page, the pages of one pass cover the devices in
 * order, so that frequent changes on some devices never starve the others.
 */
export interface ChangePosition {
  /** Every change visible in this snapshot, or a newer value, has been read. */
  snapshot: Snapshot;
  /** A pass in progress: its first snapshot, and the last value read. */
  pass?: { snapshot: Snapshot; after: RowKey };
}

/** The latest values of a device that have changed. */
export interface TelemetryChange {
  deviceId: string;
  values: LatestValue[];
}

export interface ChangePage {
  changes: TelemetryChange[];
  /** The position at which to continue. */
  next: ChangePosition;
}

/** Returns the position from which only future changes are read. */
export async function currentPosition(db: Db): Promise<ChangePosition> {
  return { snapshot: await currentSnapshot(db) };
}

/**
 * Reads the latest values that changed since `position`, grouped by device. A change is found once its transaction has
 * committed, whenever it began and in whichever process it runs. A value that changes during a pass may be read twice.
 */
export async function readChanges(
  db: Db,
  scope: ChangeScope,
  { snapshot: since, pass }: ChangePosition,
  pageSize = PAGE_SIZE,
): Promise<ChangePage> {
  const { snapshot, rows } = await selectChanged(db, scope, since, pass?.after, pageSize + 1);
  const began = pass?.snapshot ?? snapshot;
  if (rows.length <= pageSize) return { changes: byDevice(rows), next: { snapshot: began } };
  const page = withoutLastDevice(rows);
  const { device_uid, metric } = page.at(-1)!;
  const next = { snapshot: since, pass: { snapshot: began, after: { device_uid, metric } } };
  return { changes: byDevice(page), next };
}

/**
 * Drops the last device, which may have more values than those in `rows`. If it is the only device, only its last row
 * is dropped.
 */
function withoutLastDevice(rows: ChangedRow[]): ChangedRow[] {
  const last = rows.at(-1)!.device_uid;
  const end = rows.findIndex((row) => row.device_uid === last);
  return rows.slice(0, end === 0 ? -1 : end);
}

function byDevice(rows: readonly ChangedRow[]): TelemetryChange[] {
  const devices = Map.groupBy(rows, (row) => row.device_id);
  return [...devices].map(([deviceId, values]) => ({ deviceId, values: values.map(toLatest) }));
}
