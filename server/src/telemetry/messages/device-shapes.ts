import type { Db } from "../../db/database.ts";
import { RecentMap } from "../../lib/collections/recent-map.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { Reading } from "../reading.ts";
import { hasForm, type Layout, type ReadingForm, ReadingForms, type RowForm } from "./reading-form.ts";
import { addShapes, loadShapes, type Shape } from "./shape-store.ts";

/** The maximum number of shapes in memory, for all devices. A miss costs one query. A long shape counts as several. */
const MAX_SHAPES = 1_000_000;
/** The number of characters in metric names per counted shape: a longer shape counts several times. */
const CHARACTERS_OF_ONE = 256;

type ShapeLimits = Pick<Limits, "shapesPerDevice" | "shapeColumnsPerDevice">;

/** The shapes to add: device → key of the layout → layout. */
export type MissingShapes = Map<string, Map<string, Layout>>;

/** A row in which a reading is stored. */
export interface ShapedRow {
  shapeNo: number;
  form: RowForm;
}

/**
 * The shapes of one device. Combinations of metrics are bounded, both in number and in total columns, because each
 * column costs the hourly roll-up as much as ten values. A device that keeps producing new combinations gets one row
 * per metric beyond the bounds, and so at most one more shape per metric.
 */
export class DeviceShapes {
  readonly deviceUid: string;
  readonly #most: ShapeLimits;
  /** Maps the key of a layout to its number. */
  readonly #numbers = new Map<string, number>();
  /** The totals for shapes of more than one metric. */
  readonly #combined = { shapes: 0, columns: 0 };
  #units = 1;
  #last: { form: ReadingForm; rows: readonly ShapedRow[] } | undefined;

  constructor(deviceUid: string, most: ShapeLimits) {
    this.deviceUid = deviceUid;
    this.#most = most;
  }

  /** The memory it takes, in units of the shape cache. Grows with each added shape. */
  get units(): number {
    return this.#units;
  }

  add({ layout, shapeNo }: Shape): void {
    if (!this.#numbers.has(layout.key)) {
      if (layout.metrics.length > 1) {
        this.#combined.shapes++;
        this.#combined.columns += layout.metrics.length;
      }
      this.#units += Math.ceil(layout.key.length / CHARACTERS_OF_ONE);
    }
    this.#numbers.set(layout.key, shapeNo);
    this.#last = undefined;
  }

  /**
   * Returns the rows in which a reading is stored, leaving out those whose shapes must be added first.
   *
   * @param missing collects these shapes
   */
  rowsOf(reading: Reading, forms: ReadingForms, missing: MissingShapes): readonly ShapedRow[] {
    if (this.#last !== undefined && hasForm(reading, this.#last.form)) return this.#last.rows;
    const form = forms.of(reading);
    const rows = this.#find(this.#isCombined(form.whole, missing) ? [form.whole] : form.singles, missing);
    if (!missing.has(this.deviceUid)) this.#last = { form, rows };
    return rows;
  }

  #isCombined({ layout }: RowForm, missing: MissingShapes): boolean {
    const added = missing.get(this.deviceUid);
    if (this.#numbers.has(layout.key) || added?.has(layout.key)) return true;
    const columns = [...(added?.values() ?? [])].reduce(
      (sum, { metrics }) => sum + metrics.length,
      layout.metrics.length,
    );
    const { shapesPerDevice, shapeColumnsPerDevice } = this.#most;
    return (
      this.#combined.shapes + (added?.size ?? 0) < shapesPerDevice &&
      this.#combined.columns + columns <= shapeColumnsPerDevice
    );
  }

  #find(forms: readonly RowForm[], missing: MissingShapes): ShapedRow[] {
    const rows: ShapedRow[] = [];
    for (const form of forms) {
      const shapeNo = this.#numbers.get(form.layout.key);
      if (shapeNo !== undefined) rows.push({ shapeNo, form });
      else setIn(missing, this.deviceUid, form.layout);
    }
    return rows;
  }
}

function setIn(missing: MissingShapes, deviceUid: string, layout: Layout): void {
  const added = missing.get(deviceUid) ?? new Map<string, Layout>();
  missing.set(deviceUid, added.set(layout.key, layout));
}

/** The shapes of this process's devices. A shape is kept until its device is deleted. */
export interface Shapes {
  readonly forms: ReadingForms;
  /** Returns devices, loading all missing ones with one statement. */
  of(deviceUids: ReadonlySet<string>): Promise<ReadonlyMap<string, DeviceShapes>>;
  /** Adds shapes in a separate commit. */
  add(devices: ReadonlyMap<string, DeviceShapes>, missing: MissingShapes): Promise<void>;
  /** Drops these devices. After a database has lost its last commits, their shapes may have other numbers. */
  forget(deviceUids: Iterable<string>): void;
}

export function createShapes(db: Db, most: ShapeLimits): Shapes {
  const cache = new RecentMap<string, { device: DeviceShapes; units: number }>(MAX_SHAPES, ({ units }) => units);

  function keep(device: DeviceShapes): void {
    cache.delete(device.deviceUid);
    cache.set(device.deviceUid, { device, units: device.units });
  }

  return {
    forms: new ReadingForms(),
    async of(deviceUids) {
      const found = new Map<string, DeviceShapes>();
      const missing: string[] = [];
      for (const uid of deviceUids) {
        const cached = cache.get(uid);
        if (cached === undefined) missing.push(uid);
        found.set(uid, cached?.device ?? new DeviceShapes(uid, most));
      }
      if (missing.length === 0) return found;
      for (const shape of await loadShapes(db, missing)) found.get(shape.deviceUid)!.add(shape);
      for (const uid of missing) keep(found.get(uid)!);
      return found;
    },
    async add(devices, missing) {
      const added = [...missing].flatMap(([deviceUid, layouts]) =>
        [...layouts.values()].map((layout) => ({ deviceUid, layout })),
      );
      for (const shape of await addShapes(db, added)) devices.get(shape.deviceUid)!.add(shape);
      for (const uid of missing.keys()) keep(devices.get(uid)!);
    },
    forget(deviceUids) {
      for (const uid of deviceUids) cache.delete(uid);
    },
  };
}
