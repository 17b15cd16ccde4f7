import { t } from "#texts/pages/devices.ts";
import { unitText } from "../../texts/number-text.ts";

const UNITS = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
] as const;

/** Returns `15 minutes`; silence that no anomaly watches has no limit. */
export function silence(seconds: number | null): string {
  if (seconds === null) return t.anyTime;
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0) ?? ([1, "second"] as const);
  return unitText(seconds / size, unit);
}
