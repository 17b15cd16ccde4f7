import type { Caller } from "../../../src/access/access.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/clock.ts";
import type { TelemetryFixture, TestSender } from "../../harness/telemetry.ts";
import { assertReads as assertReadsOf, type Sent, send, stored as storedOf } from "./sent-readings.ts";

export type ChunkReads = ReturnType<typeof chunkReads>;

type DropFirst<All> = All extends [unknown, ...infer Rest] ? Rest : never;

/** Helpers of chunk tests for the devices of a tenant. */
export function chunkReads(fixture: TelemetryFixture, caller: Caller) {
  const stored = (device: TestSender) => storedOf(fixture, device);
  const assertReads = (...of: DropFirst<Parameters<typeof assertReadsOf>>) => assertReadsOf({ fixture, caller }, ...of);

  /** Rolls up due hours, and drops days that are in chunks. */
  async function rollUp(): Promise<void> {
    // Hours are due two minutes after their messages were stored.
    await fixture.stored();
    fixture.clock.advance(3 * MINUTE);
    await fixture.telemetry.rollUp();
    // A day that is in use, for example by a slow statement, is dropped by a later call.
    for (let attempt = 0; attempt < 3; attempt++) await fixture.telemetry.retireMessages();
  }

  const yesterday = (days: number) => Math.floor(fixture.clock.now().getTime() / DAY - days) * DAY;

  /** Creates a device with one reading per minute for two days, the first of which ended more than a day ago. */
  async function deviceWithDays(): Promise<{ device: TestSender; sent: Sent; start: number }> {
    const device = await fixture.device(caller);
    const sent: Sent = new Map();
    const start = yesterday(3);
    for (let hour = 0; hour < 6; hour++) {
      const messages = Array.from({ length: 60 }, (_, at) => ({
        ts: start + hour * 8 * HOUR + at * MINUTE,
        values: { a: at / 10, b: at % 2 === 0, c: `text ${at}` },
      }));
      await send(device, sent, messages);
    }
    return { device, sent, start };
  }

  return { send, stored, assertReads, rollUp, yesterday, deviceWithDays };
}
