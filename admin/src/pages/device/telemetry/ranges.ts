const HOUR_MS = 3_600_000;

/** What the live chart covers. */
export const LIVE_MS = 10 * 60_000;

/** What a chart can cover; the first follows the device. */
export const RANGES: readonly { name: string; label: string; ms?: number }[] = [
  { name: "live", label: "Live" },
  { name: "1h", label: "1 h", ms: HOUR_MS },
  { name: "24h", label: "24 h", ms: 24 * HOUR_MS },
  { name: "7d", label: "7 d", ms: 7 * 24 * HOUR_MS },
  { name: "30d", label: "30 d", ms: 30 * 24 * HOUR_MS },
];
