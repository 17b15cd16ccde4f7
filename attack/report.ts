import { columns } from "../server/src/cli/output.ts";
import type { Figures } from "./honest/measure.ts";
import type { DatabaseKind } from "./service.ts";

export interface Row {
  readonly database: DatabaseKind;
  readonly attack: string;
  readonly without: Figures;
  readonly under: Figures;
  /** The acts of the attacker. */
  readonly done: string;
  readonly broken: readonly string[];
}

const COLUMNS: readonly [title: string, figure: keyof Figures][] = [
  ["ack p50", "acknowledgementP50"],
  ["ack p99", "acknowledgementP99"],
  ["page", "page"],
  ["webhook", "webhook"],
  ["/healthz", "healthz"],
  ["REST p99", "requestP99"],
  ["connect", "connect"],
  ["loop", "loop"],
  ["CPU", "cpu"],
  ["memory", "memory"],
];

/** Returns a line an attack, each figure without → with it; below, what was done and which promises were broken. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ database, attack, without, under, broken }) => [
    attack,
    database,
    ...COLUMNS.map(([, figure]) => `${readable(without[figure])} → ${readable(under[figure])}`),
    broken.length === 0 ? "kept" : "BROKEN",
  ]);
  const notes = rows.flatMap(({ attack, database, done, broken }) => [
    `${attack}, ${database}: ${done}`,
    ...broken.map((promise) => `  BROKEN ${promise}`),
  ]);
  const units = "Milliseconds (CPU: of the server, a second) and MB, without → with the attack.";
  const head = ["attack", "database", ...COLUMNS.map(([title]) => title), "promises"];
  return [...columns([head, ...lines], ""), "", units, "", ...notes].join("\n");
}

function readable(value: Figures[keyof Figures]): string {
  if (typeof value !== "number") return String(value.length);
  if (!Number.isFinite(value)) return "never";
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(1);
}
