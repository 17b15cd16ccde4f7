import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { MAX_METRICS, type MetricValue, nameProblem, quoted, type Reading, valueProblem } from "../reading.ts";
import type { Problems } from "./problems.ts";
import { type Rejection, tooManyMetrics } from "./rejection.ts";

/** The number of objects that may be inside each other: `{"a": {"b": {"c": {"d": 1}}}}` becomes `a.b.c.d`. */
export const MAX_DEPTH = 4;

/** The place of an object in a payload: the tokens of its JSON Pointer. */
export type Place = readonly (string | number)[];

/**
 * Reads the values of an object into a reading. A nested object is flattened (`location.lat`); a field that cannot be
 * stored becomes a problem.
 *
 * @returns the problem of the whole message, or `undefined` if there is none
 */
export function readValues(values: JsonObject, place: Place, into: Reading, problems: Problems): Rejection | undefined {
  const names = Object.keys(values);
  if (names.length > MAX_METRICS) return tooManyMetrics(names.length);
  if (names.length === 0) {
    problems.add(place, "there are no values");
    return undefined;
  }
  if (isFlatAndValid(names, values, into)) return undefined;
  into.values.length = 0;
  return new Flattening(into, problems).read(values, place);
}

/** Reads an object that has nothing but valid values, as most payloads have. */
function isFlatAndValid(names: string[], values: JsonObject, into: Reading): boolean {
  for (const name of names) {
    const value = values[name];
    if (typeof value === "object") return false;
    if (nameProblem(name) !== undefined || valueProblem(name, value) !== undefined) return false;
    into.values.push(value as MetricValue);
  }
  into.metrics = names;
  return true;
}

/** Reads one object field by field. */
class Flattening {
  readonly #into: Reading;
  readonly #problems: Problems;
  readonly #names = new Set<string>();
  /** The number of fields so far, stored or not, which bounds the work. */
  #fields = 0;

  constructor(into: Reading, problems: Problems) {
    this.#into = into;
    this.#problems = problems;
  }

  read(values: JsonObject, place: Place, prefix = "", depth = 1): Rejection | undefined {
    for (const key of Object.keys(values)) {
      const value = values[key];
      const name = prefix + key;
      const nested = isObject(value);
      if (nested && depth < MAX_DEPTH && Object.keys(value).length > 0) {
        const rejection = this.read(value, [...place, key], `${name}.`, depth + 1);
        if (rejection !== undefined) return rejection;
        continue;
      }
      if (++this.#fields > MAX_METRICS) return tooManyMetrics(`more than ${MAX_METRICS}`);
      const problem = nested ? nestedProblem(name, value) : this.#problemOf(key, name, value);
      if (problem === undefined) this.#store(name, value as MetricValue);
      else this.#problems.add([...place, key], problem);
    }
    return undefined;
  }

  #problemOf(key: string, name: string, value: unknown): string | undefined {
    if (key === "") return nameProblem("");
    if (this.#names.has(name)) return `there are several values of ${quoted(name)}`;
    return nameProblem(name) ?? valueProblem(name, value);
  }

  #store(name: string, value: MetricValue): void {
    this.#names.add(name);
    this.#into.metrics.push(name);
    this.#into.values.push(value);
  }
}

function nestedProblem(name: string, value: JsonObject): string {
  if (Object.keys(value).length === 0) return `${quoted(name)} is an empty object`;
  return `${quoted(name)} is an object; objects are flattened up to depth ${MAX_DEPTH}`;
}
