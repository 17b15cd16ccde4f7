import type { Db } from "../../db/database.ts";
import { type LatestValue, toLatest } from "../read/latest.ts";
import { type ChangedRow, type ChangeScope, currentSnapshot, type RowKey, selectChanged } from "./changes-store.ts";
import type { Snapshot } from "./snapshot.ts";

/** Values of a page. The values of a device that alone has more of them are spread over pages. */
const PAGE_SIZE = 3_000;

/**
 * How far a follower has read. When more values have changed than fit a page, the pages of one pass go through the devices in order,
 * so every device is read however often the others change.
 */
export interface ChangePosition {
  /** Every change that this snapshot shows has been read, or a newer value. */
  snapshot: Snapshot;
  /** A pass under way: the snapshot it began with, and the last value read. */
  pass?: { snapshot: Snapshot; after: RowKey };
}

/** The latest values of a device that have changed. */
export interface TelemetryChange {
  deviceId: string;
  values: LatestValue[];
}

export interface ChangePage {
  changes: TelemetryChange[];
  /** Where to continue. */
  next: ChangePosition;
}

/** The position after which only changes from now on are read. */
export async function currentPosition(db: Db): Promise<ChangePosition> {
  return { snapshot: await currentSnapshot(db) };
}

/**
 * The latest values that changed since `position`, grouped by device. A change is found once its transaction has committed, whenever
 * that began and whichever process it belongs to. A value that changes during a pass may be read twice.
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

/** The last device may have more values than those in `rows`. When there is no other, only its last row is left out. */
function withoutLastDevice(rows: ChangedRow[]): ChangedRow[] {
  const last = rows.at(-1)!.device_uid;
  const end = rows.findIndex((row) => row.device_uid === last);
  return rows.slice(0, end === 0 ? -1 : end);
}

function byDevice(rows: readonly ChangedRow[]): TelemetryChange[] {
  const devices = Map.groupBy(rows, (row) => row.device_id);
  return [...devices].map(([deviceId, values]) => ({ deviceId, values: values.map(toLatest) }));
}
