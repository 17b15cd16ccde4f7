import type { Hold } from "../holds/hold.ts";
import type { CoveringWindow } from "./covering-window-store.ts";
import { windowAt } from "./window-calendar.ts";

/**
 * Returns the hold by the window that ends last, or `undefined` if none is in effect over the anomaly's device.
 * Critical pages pass a window unless it says otherwise.
 */
export function windowHold(
  windows: readonly CoveringWindow[],
  { id, severity }: { id: string; severity: string },
  now: Date,
): Hold | undefined {
  let hold: Hold | undefined;
  for (const window of windows) {
    if (window.anomalyId !== id || (severity === "critical" && !window.holdsCritical)) continue;
    const current = windowAt(window, now);
    if (current && (!hold || current.endsAt > hold.until)) hold = { by: "window", until: current.endsAt };
  }
  return hold;
}
