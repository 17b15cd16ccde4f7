import { cpus } from "node:os";
import type { Load } from "./measure.ts";

/** One measured figure, beside the same figure of a peer measured in the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly peer?: { readonly name: string; readonly value: number };
  readonly target?: Target;
  readonly note?: string;
}

/** A limit for the value, or for its ratio to the peer's. */
export type Target =
  | { readonly of: "value" | "ratio"; readonly atLeast: number }
  | { readonly of: "value" | "ratio"; readonly atMost: number };

/** The CPU time of one piece of work, of server and database together; apart in the note. */
export function cpuFigure(
  name: string,
  { count, serverMs, databaseMs }: Omit<Load, "seconds">,
  unit: "ms" | "µs",
): Figure & { readonly note: string } {
  const each = (ms: number) => (ms / count) * (unit === "ms" ? 1 : 1000);
  const parts = `server ${readable(each(serverMs))} ${unit}, database ${readable(each(databaseMs))} ${unit}`;
  const note = databaseMs === 0 ? "the database is part of the server" : parts;
  return { name, value: each(serverMs + databaseMs), unit, note };
}

/** A row that cannot be measured here, and why. */
export class Skip extends Error {
  override readonly name = "Skip";
}

export function ratioOf({ value, peer }: Figure): number | undefined {
  return peer === undefined || peer.value === 0 ? undefined : value / peer.value;
}

/** Whether the target is met; `undefined` where there is none, or nothing to compare with. */
export function isMet(figure: Figure): boolean | undefined {
  const { target } = figure;
  if (target === undefined) return undefined;
  const measured = target.of === "value" ? figure.value : ratioOf(figure);
  if (measured === undefined) return undefined;
  return "atLeast" in target ? measured >= target.atLeast : measured <= target.atMost;
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const ratio = ratioOf(figure);
    return [
      figure.name,
      `${readable(figure.value)} ${figure.unit}`,
      figure.peer === undefined ? "" : `${figure.peer.name}: ${readable(figure.peer.value)}`,
      ratio === undefined ? "" : `${readable(ratio)}×`,
      figure.target === undefined ? "" : `${targetText(figure.target)} ${verdict(isMet(figure))}`,
    ];
  });
  const all = [["", "Muster", "peer", "ratio", "target"], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  const notes = figures.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`]));
  return [line(all[0]!), ...rows.map(line), "", ...notes].join("\n");
}

function targetText(target: Target): string {
  const limit = "atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  return target.of === "ratio" ? `${limit}×` : limit;
}

function verdict(met: boolean | undefined): string {
  return met === undefined ? "(nothing to compare with)" : met ? "met" : "MISSED";
}

export function readable(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** The machine that the figures were measured on. */
export function machine(): Record<string, unknown> {
  return { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model ?? "unknown", platform: process.platform };
}
