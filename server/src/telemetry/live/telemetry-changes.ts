import type { Db } from "../../db/database.ts";
import { type LatestValue, toLatest } from "../device-values.ts";
import type { Snapshot } from "./snapshot.ts";
import { type ChangedRow, selectChanged, snapshotNow, type Whose } from "./telemetry-changes-store.ts";

/** How many values come at once; a device that alone has more of them comes in parts. */
const PAGE = 3_000;

/**
 * How far somebody has been told. Where more has changed than one page contains, pages go round by device: every device has its
 * turn, however often the others change.
 */
export interface TelemetryPlace {
  /** Whatever was seen here has been told, or something newer. */
  seen: Snapshot;
  /** A round that is under way: the snapshot it began with, and the last value told. */
  round?: { seen: Snapshot; after: Pick<ChangedRow, "device_uid" | "metric"> };
}

/** The latest values of a device that have changed. */
export interface TelemetryChange {
  deviceId: string;
  values: LatestValue[];
}

export interface TelemetryChanges {
  changes: TelemetryChange[];
  /** Where to go on. */
  next: TelemetryPlace;
}

/** The place from which only what changes from now on is told. */
export async function placeNow(db: Db): Promise<TelemetryPlace> {
  return { seen: await snapshotNow(db) };
}

/**
 * The latest values that have changed since a place: each at its newest, those of a device together. A change is in it as
 * soon as its transaction has committed, however long ago that began and whichever process it was. What changes while a
 * round is under way may be told twice.
 */
export async function changedTelemetry(
  db: Db,
  whose: Whose,
  { seen, round }: TelemetryPlace,
  page = PAGE,
): Promise<TelemetryChanges> {
  const { snapshot, rows } = await selectChanged(db, whose, seen, round?.after, page + 1);
  const began = round?.seen ?? snapshot;
  if (rows.length <= page) return { changes: byDevice(rows), next: { seen: began } };
  const told = wholeDevices(rows);
  const { device_uid, metric } = told.at(-1)!;
  return { changes: byDevice(told), next: { seen, round: { seen: began, after: { device_uid, metric } } } };
}

/** All but the last device's, of which there may be more, unless it is the only one. */
function wholeDevices(rows: ChangedRow[]): ChangedRow[] {
  const last = rows.at(-1)!.device_uid;
  const end = rows.findIndex((row) => row.device_uid === last);
  return rows.slice(0, end === 0 ? -1 : end);
}

function byDevice(rows: readonly ChangedRow[]): TelemetryChange[] {
  const devices = Map.groupBy(rows, (row) => row.device_id);
  return [...devices].map(([deviceId, values]) => ({ deviceId, values: values.map(toLatest) }));
}
