import type { MetricValue } from "./reading.ts";

/** The type of a stored value: number, boolean or text. */
export type StoredKind = "n" | "b" | "t";

export function storedKindOf(value: MetricValue): StoredKind {
  return typeof value === "number" ? "n" : typeof value === "boolean" ? "b" : "t";
}

/** Returns numbers unchanged, 1 and 0 for true and false, and 0 for texts, which are stored separately. */
export function storedNumberOf(value: MetricValue): number {
  return typeof value === "string" ? 0 : Number(value);
}
