import { sql } from "kysely";
import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { digestOf, type Layout, layoutOf } from "./reading-form.ts";

/** A layout of a device, and the number under which its rows are stored. */
export interface Shape {
  deviceUid: string;
  shapeNo: number;
  layout: Layout;
}

interface ShapeRow {
  device_uid: string;
  shape_no: number;
  metrics: string[];
  kinds: string;
  time_replaced: boolean;
}

const selectShapes = statement<{ deviceUids: string }, ShapeRow>(
  "load-shapes",
  (p) => sql`
  SELECT s.device_uid, s.shape_no, s.metrics, s.kinds, s.time_replaced FROM telemetry_shapes s
   WHERE s.device_uid = ANY (${p.deviceUids}::uuid[])`,
);

/** Loads the shapes of these devices. */
export async function loadShapes(db: Db, deviceUids: readonly string[]): Promise<Shape[]> {
  return (await runStatement(db, selectShapes, { deviceUids: plainArray(deviceUids) })).map(toShape);
}

interface NewShapes {
  deviceUids: string;
  digests: string;
  metrics: string;
  kinds: string;
  replaced: string;
}

/** The no-op update makes the statement return shapes that another process has added. */
const insertShapes = statement<NewShapes, ShapeRow>(
  "add-shapes",
  (p) => sql`
  INSERT INTO telemetry_shapes (device_uid, digest, metrics, kinds, time_replaced)
  SELECT u.device_uid, u.digest, u.metrics::text[], u.kinds, u.replaced
    FROM unnest(${p.deviceUids}::uuid[], ${p.digests}::bytea[], ${p.metrics}::text[], ${p.kinds}::text[], ${p.replaced}::boolean[])
         AS u (device_uid, digest, metrics, kinds, replaced)
   ORDER BY u.device_uid, u.digest
  ON CONFLICT (device_uid, digest) DO UPDATE SET kinds = excluded.kinds
  RETURNING device_uid, shape_no, metrics, kinds, time_replaced`,
);

/** Adds shapes in a separate commit, and returns them together with those that already exist. */
export async function addShapes(db: Db, added: readonly Omit<Shape, "shapeNo">[]): Promise<Shape[]> {
  const rows = await runStatement(db, insertShapes, {
    deviceUids: plainArray(added.map(({ deviceUid }) => deviceUid)),
    digests: bytesArray(added.map(({ layout }) => digestOf(layout))),
    metrics: textArray(added.map(({ layout }) => textArray(layout.metrics))),
    kinds: plainArray(added.map(({ layout }) => layout.kinds)),
    replaced: plainArray(added.map(({ layout }) => layout.timeReplaced)),
  });
  return rows.map(toShape);
}

function toShape(row: ShapeRow): Shape {
  const layout = layoutOf(row.metrics, row.kinds, row.time_replaced);
  return { deviceUid: row.device_uid, shapeNo: row.shape_no, layout };
}
