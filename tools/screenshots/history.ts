import type { SimulatedPump } from "../../server/src/demo/simulated-pump.ts";

const HOUR_MS = 3_600_000;
const EVERY_MS = 10_000;
/** The number of times that the load of the plant rises and falls within the hour. */
const WAVES = 3;
/**
 * The part of the hour in which a bearing vibrates increasingly, by up to this many mm/s, below the limit of the demo's
 * threshold pack.
 */
const WEAR = { from: 0.25, to: 0.7, most: 4.2 };

/**
 * Publishes the readings of the hour before `now` as a device does that was offline: in one message. They are the same
 * in every run.
 */
export async function publishHistory(
  { agent, normal }: SimulatedPump,
  { now, wears }: { now: number; wears: boolean },
): Promise<void> {
  const count = HOUR_MS / EVERY_MS;
  const readings = Array.from({ length: count }, (_, index) => {
    const load = Math.sin((index / count) * WAVES * 2 * Math.PI);
    const worn = wears ? wearAt(index / count) : 0;
    const noise = Math.sin(index * 12.9898) * Math.sin(index * 78.233);
    const values = {
      vibration: round(normal.vibration + 0.5 * load + 0.25 * noise + WEAR.most * worn ** 2),
      temperature: round(normal.temperature + 4 * load + 0.5 * noise + 6 * worn),
      pressure: round(normal.pressure + 0.3 * load + 0.1 * noise),
    };
    return { ts: now - HOUR_MS + index * EVERY_MS, values };
  });
  await agent.publish(readings);
}

/** Rises from 0 to 1, until the bearing is replaced. */
function wearAt(share: number): number {
  return share > WEAR.to ? 0 : Math.max(0, share - WEAR.from) / (WEAR.to - WEAR.from);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
