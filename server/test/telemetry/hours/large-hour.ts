import type { Caller } from "../../../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import type { TelemetryFixture, TestSender } from "../../harness/telemetry.ts";
import { type Sent, send } from "./sent-readings.ts";

/** Limits under which slices of an hour have some twenty messages instead of tens of thousands. */
export const SLICE_BYTES = 2_000;

export interface LargeHour {
  device: TestSender;
  /** The readings that it has sent. */
  sent: Sent;
  /** Milliseconds since 1970. */
  hour: number;
}

/** Creates a device with an hour of some fifteen slices with two shapes, three days ago. */
export async function deviceWithLargeHour(fixture: TelemetryFixture, by: Caller): Promise<LargeHour> {
  const device = await fixture.device(by);
  const sent: Sent = new Map();
  const hour = Math.floor(fixture.clock.now().getTime() / DAY - 3) * DAY + 5 * HOUR;
  const at = Array.from({ length: 300 }, (_, n) => hour + n * 11 * SECOND + (n % 3));
  await send(
    device,
    sent,
    at.map((ts, n) => ({ ts, values: n % 4 === 0 ? { a: n, c: `text ${n}` } : { a: n / 8, b: n % 2 === 0 } })),
  );
  return { device, sent, hour };
}

/** Rolls up due hours, and drops the rows of past days. */
export async function rollUp({ clock, telemetry }: TelemetryFixture): Promise<void> {
  clock.advance(3 * MINUTE);
  await telemetry.rollUp();
  await telemetry.retireMessages();
}

/** A range from before the hour to after it. */
export const around = (hour: number): [number, number] => [hour - HOUR, hour + 2 * HOUR];
