import type { MetricValue } from "./reading.ts";

/** The type of a value as it is stored: number, boolean, text. */
export type StoredKind = "n" | "b" | "t";

export function storedKindOf(value: MetricValue): StoredKind {
  return typeof value === "number" ? "n" : typeof value === "boolean" ? "b" : "t";
}

/** A number as it is, 1 and 0 for true and false, 0 for a text, which is stored apart. */
export function storedNumberOf(value: MetricValue): number {
  return typeof value === "string" ? 0 : Number(value);
}
