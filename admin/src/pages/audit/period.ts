import type { Filter, FilterValues } from "../../ui/input/filters.tsx";

const DAY_MS = 86_400_000;

/** Days of the user's own zone; the last one is included. */
export const PERIOD: readonly Filter[] = [
  { kind: "day", name: "from", label: "From" },
  { kind: "day", name: "until", label: "Until" },
];

/** The bounds that the service compares with: from the first instant of `from` to before the end of `until`. */
export function periodOf({ from, until }: FilterValues): { from: string | undefined; to: string | undefined } {
  return {
    from: from ? startOf(from).toISOString() : undefined,
    to: until ? new Date(endOf(until)).toISOString() : undefined,
  };
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00`);
}

/** A day has 23, 24 or 25 hours: noon of the next one is always in it. */
function endOf(day: string): number {
  const nextNoon = new Date(new Date(`${day}T12:00:00`).getTime() + DAY_MS);
  return nextNoon.setHours(0, 0, 0, 0);
}
