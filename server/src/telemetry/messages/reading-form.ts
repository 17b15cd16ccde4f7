import { createHash } from "node:crypto";
import { RecentMap } from "../../lib/collections/recent-map.ts";
import type { Reading } from "../reading.ts";
import { type StoredKind, storedKindOf } from "../stored-value.ts";

/** What rows of one shape have in common; a shape is one of these of one device. */
export interface Layout {
  /** Different for every layout. */
  readonly key: string;
  /** Texts last, otherwise by name. */
  readonly metrics: readonly string[];
  /** A letter each. */
  readonly kinds: string;
  readonly timeReplaced: boolean;
}

/** A layout, and where in a reading its values are: those of the texts last. */
export interface RowForm {
  readonly layout: Layout;
  readonly places: readonly number[];
  /** How many of the values are no texts. */
  readonly numbers: number;
}

/** How readings are stored that have the same metrics in the same order, with values of the same types. */
export interface ReadingForm {
  readonly metrics: readonly string[];
  readonly kinds: readonly StoredKind[];
  readonly timeReplaced: boolean;
  /** As one row. */
  readonly whole: RowForm;
  /** As a row a metric. */
  readonly singles: readonly RowForm[];
}

/** Metrics of the forms in memory: about 60 MB where their names are long. Devices of one type send a few forms. */
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

/** Whether the reading has this form. */
export function hasForm({ metrics, values, timeReplaced }: Reading, form: ReadingForm): boolean {
  if (metrics.length !== form.metrics.length || timeReplaced !== form.timeReplaced) return false;
  for (let place = 0; place < metrics.length; place++) {
    if (metrics[place] !== form.metrics[place] || storedKindOf(values[place]!) !== form.kinds[place]) return false;
  }
  return true;
}

/** @param metrics texts last, otherwise by name */
export function layoutOf(metrics: readonly string[], kinds: string, timeReplaced: boolean): Layout {
  return { key: keyOf(metrics, kinds, timeReplaced), metrics, kinds, timeReplaced };
}

/** SHA-256 of the layout, by which the database knows it. */
export function digestOf({ key }: Layout): Buffer {
  return createHash("sha256").update(key).digest();
}

/** Names have no control characters. */
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

/** Of a metric that occurs twice the last value counts. */
function placesInOrder(metrics: readonly string[], kinds: readonly StoredKind[]): number[] {
  const last = new Map(metrics.map((metric, place) => [metric, place]));
  const rank = (place: number) => (kinds[place] === "t" ? 1 : 0);
  return [...last.values()].sort((a, b) => rank(a) - rank(b) || (metrics[a]! < metrics[b]! ? -1 : 1));
}
