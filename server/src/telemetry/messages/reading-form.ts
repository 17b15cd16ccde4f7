import { createHash } from "node:crypto";
import { RecentMap } from "../../lib/collections/recent-map.ts";
import type { Reading } from "../reading.ts";
import { type StoredKind, storedKindOf } from "../stored-value.ts";

/** The properties that rows of one shape share. A shape is a layout of one device. */
export interface Layout {
  /** Unique for every layout. */
  readonly key: string;
  /** Sorted by name, with texts last. */
  readonly metrics: readonly string[];
  /** One letter per metric. */
  readonly kinds: string;
  readonly timeReplaced: boolean;
}

/** A layout, and the places of its values in a reading, with texts last. */
export interface RowForm {
  readonly layout: Layout;
  readonly places: readonly number[];
  /** The number of values that are not texts. */
  readonly numbers: number;
}

/** The storage of readings with the same metrics in the same order and values of the same types. */
export interface ReadingForm {
  readonly metrics: readonly string[];
  readonly kinds: readonly StoredKind[];
  readonly timeReplaced: boolean;
  /** For storage as one row. */
  readonly whole: RowForm;
  /** For storage as one row per metric. */
  readonly singles: readonly RowForm[];
}

/**
 * The maximum number of metrics in cached forms, about 60 MB if their names are long. Devices of one type send a few
 * forms.
 */
const MAX_METRICS = 100_000;
const SEPARATOR = "\u0000";

export class ReadingForms {
  readonly #forms = new RecentMap<string, ReadingForm>(MAX_METRICS, ({ metrics }) => metrics.length);

  of(reading: Reading): ReadingForm {
    const kinds = reading.values.map(storedKindOf);
    const key = keyOf(reading.metrics, kinds.join(""), reading.timeReplaced);
    const known = this.#forms.get(key);
    if (known !== undefined) return known;
    const form = createForm(reading, kinds);
    this.#forms.set(key, form);
    return form;
  }
}

/** Checks whether the reading has this form. */
export function hasForm({ metrics, values, timeReplaced }: Reading, form: ReadingForm): boolean {
  if (metrics.length !== form.metrics.length || timeReplaced !== form.timeReplaced) return false;
  for (let place = 0; place < metrics.length; place++) {
    if (metrics[place] !== form.metrics[place] || storedKindOf(values[place]!) !== form.kinds[place]) return false;
  }
  return true;
}

/** @param metrics sorted by name, with texts last */
export function layoutOf(metrics: readonly string[], kinds: string, timeReplaced: boolean): Layout {
  return { key: keyOf(metrics, kinds, timeReplaced), metrics, kinds, timeReplaced };
}

/** Returns the SHA-256 of the layout, its key in the database. */
export function digestOf({ key }: Layout): Buffer {
  return createHash("sha256").update(key).digest();
}

/** Builds the key of a layout. The separator is safe because names have no control characters. */
function keyOf(metrics: readonly string[], kinds: string, timeReplaced: boolean): string {
  return `${kinds}${timeReplaced ? "!" : ""}${SEPARATOR}${metrics.join(SEPARATOR)}`;
}

function createForm({ metrics, timeReplaced }: Reading, kinds: StoredKind[]): ReadingForm {
  const form = (places: readonly number[]): RowForm => ({
    layout: layoutOf(
      places.map((place) => metrics[place]!),
      places.map((place) => kinds[place]).join(""),
      timeReplaced,
    ),
    places,
    numbers: places.filter((place) => kinds[place] !== "t").length,
  });
  const places = placesInOrder(metrics, kinds);
  return { metrics, kinds, timeReplaced, whole: form(places), singles: places.map((place) => form([place])) };
}

/** Sorts the places for the layout. The last value of a repeated metric wins. */
function placesInOrder(metrics: readonly string[], kinds: readonly StoredKind[]): number[] {
  const last = new Map(metrics.map((metric, place) => [metric, place]));
  const rank = (place: number) => (kinds[place] === "t" ? 1 : 0);
  return [...last.values()].sort((a, b) => rank(a) - rank(b) || (metrics[a]! < metrics[b]! ? -1 : 1));
}
