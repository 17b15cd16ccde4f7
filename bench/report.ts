import { cpus } from "node:os";
import { type Load, readable } from "../load/measure.ts";
import { columns } from "../server/src/cli/output.ts";

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

type Part = Pick<Figure, "peer" | "target" | "note">;

/** Returns a figure. @param parts its peer, target and note, from the functions below */
export function figure(name: string, value: number, unit: string, ...parts: readonly Part[]): Figure {
  return Object.assign({ name, value, unit }, ...parts);
}

/** The peer's value; nothing where the peer was not measured. */
export const beside = (name: string, value: number | undefined): Part =>
  value === undefined ? {} : { peer: { name, value } };
export const note = (text: string): Part => ({ note: text });
export const atMost = (limit: number): Part => ({ target: { of: "value", atMost: limit } });
export const atLeast = (limit: number): Part => ({ target: { of: "value", atLeast: limit } });
export const timesAtMost = (limit: number): Part => ({ target: { of: "ratio", atMost: limit } });
export const timesAtLeast = (limit: number): Part => ({ target: { of: "ratio", atLeast: limit } });

/** Pieces of work a second. */
export const rate = ({ count, seconds }: Load) => count / seconds;
/** CPU time of one piece of work, in milliseconds: of the server, of the database, and of both. */
export const serverMs = (load: Load) => load.serverMs / load.count;
export const databaseMs = (load: Load) => load.databaseMs / load.count;
export const bothMs = (load: Load) => serverMs(load) + databaseMs(load);

/** Returns a note that divides the CPU time of one piece of work between server and database. */
export function divided(load: Load, unit: "ms" | "µs"): Part {
  const each = (ms: number) => `${readable(ms * (unit === "ms" ? 1 : 1000))} ${unit}`;
  const parts = `server ${each(serverMs(load))}, database ${each(databaseMs(load))}`;
  return note(load.databaseMs === 0 ? "the database is part of the server" : parts);
}

export function ratioOf({ value, peer }: Figure): number | undefined {
  return peer === undefined || peer.value === 0 ? undefined : value / peer.value;
}

/** Returns whether the target is met; undefined where there is none, or nothing to compare with. */
export function isMet(measured: Figure): boolean | undefined {
  const { target } = measured;
  if (target === undefined) return undefined;
  const value = target.of === "value" ? measured.value : ratioOf(measured);
  if (value === undefined) return undefined;
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((each) => {
    const ratio = ratioOf(each);
    return [
      each.name,
      `${readable(each.value)} ${each.unit}`,
      each.peer === undefined ? "" : `${each.peer.name}: ${readable(each.peer.value)}`,
      ratio === undefined ? "" : `${readable(ratio)}×`,
      each.target === undefined ? "" : `${targetText(each.target)} ${verdict(isMet(each))}`,
    ];
  });
  const notes = figures.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`]));
  return [...columns([["", "Muster", "peer", "ratio", "target"], ...rows], ""), "", ...notes].join("\n");
}

function targetText(target: Target): string {
  const limit = "atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  return target.of === "ratio" ? `${limit}×` : limit;
}

function verdict(met: boolean | undefined): string {
  return met === undefined ? "(nothing to compare with)" : met ? "met" : "MISSED";
}

/** Describes the machine that the figures were measured on. */
export function machine(): Record<string, unknown> {
  return { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model ?? "unknown", platform: process.platform };
}
