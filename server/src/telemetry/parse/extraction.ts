import { valueAt } from "../../lib/json/json-pointer.ts";
import { type MetricValue, type Reading, valueProblem } from "../reading.ts";
import type { Extracted } from "./format.ts";
import type { Into } from "./problems.ts";
import { invalid, type Rejection } from "./rejection.ts";

/**
 * Reads the values that a device type extracts, and nothing else. A pointer that leads nowhere is no problem, because
 * messages of one device may differ; a message without any of the values is.
 *
 * @param reading empty; its time is the one of the values
 * @returns the problem of the whole message, or `undefined`
 */
export function readExtracted(
  document: unknown,
  extraction: readonly Extracted[],
  reading: Reading,
  { readings, problems }: Into,
): Rejection | undefined {
  for (const { metric, text, pointer } of extraction) {
    const value = valueAt(document, pointer);
    if (value === undefined) continue;
    const problem = valueProblem(metric, value);
    if (problem !== undefined) {
      problems.add(text, problem);
      continue;
    }
    reading.metrics.push(metric);
    reading.values.push(value as MetricValue);
  }
  if (reading.metrics.length > 0) readings.push(reading);
  else if (problems.count === 0) {
    return invalid(`no JSON Pointer of the device type leads to a value; the first is ${extraction[0]!.text}`);
  }
  return undefined;
}
