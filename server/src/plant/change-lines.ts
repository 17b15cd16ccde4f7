import { isDeepStrictEqual } from "node:util";
import { type Change, SETS } from "./plan.ts";

/** Returns lines about a change: what it does, and each value that an update changes. */
export function changeLines(change: Change): string[] {
  const { act, kind, key } = change;
  if (act === "create") return [`+ ${kind.noun} ${key}`];
  if (act === "delete") return [`- ${kind.noun} ${key}`];
  const { fields, before } = change;
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    SETS.has(name) ? setLine(name, before[name] ?? [], value) : valueLines(name, before[name], value),
  );
  return [`~ ${kind.noun} ${key}`, ...lines.map((line) => `    ${line}`)];
}

function setLine(name: string, before: unknown[], after: unknown[]): string {
  const lacks = (list: unknown[], value: unknown) => !list.some((each) => isDeepStrictEqual(each, value));
  const added = after.filter((each) => lacks(before, each)).map((each) => `+ ${shown(each)}`);
  const removed = before.filter((each) => lacks(after, each)).map((each) => `- ${shown(each)}`);
  return `${name}: ${[...added, ...removed].join(", ")}`;
}

function valueLines(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return [`${path}: ${shown(before)} → ${shown(after)}`];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    valueLines(Array.isArray(after) ? `${path}[${name}]` : `${path}.${name}`, before[name], after[name]),
  );
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? "none";
}
