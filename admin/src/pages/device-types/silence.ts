import { t } from "#texts/pages/devices.ts";

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

/** Returns `15 minutes`; silence that no anomaly watches has no limit. */
export function silence(seconds: number | null): string {
  if (seconds === null) return t.anyTime;
  const [size, name] = UNITS.find(([size]) => seconds % size === 0) ?? [1, "second"];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
