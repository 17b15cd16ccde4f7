import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { DAY, HOUR, SECOND } from "../../../src/lib/clock.ts";
import type { Telemetry } from "../../../src/telemetry/telemetry.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { testFeatures } from "../../harness/features.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../../harness/telemetry.ts";
import { stored } from "./sent-readings.ts";
import { atNoon } from "./suite-chunks.ts";

let fixture: TelemetryFixture;
beforeEach(async () => {
  fixture = await openTelemetryFixture();
  atNoon(fixture);
});
afterEach(() => fixture.close());

/** A process in which everything is slow: each read of the clock takes `step` milliseconds. */
function slowProcess(step: number): Telemetry {
  class SlowClock extends FakeClock {
    override now(): Date {
      this.advance(step);
      return super.now();
    }
  }
  const { database, clock } = fixture;
  return testFeatures({ database, clock: new SlowClock(clock.now()) }).telemetry;
}

/**
 * Creates devices in a new tenant, each with this many messages in each of the first hours of a day, none of them in a
 * chunk.
 */
async function busyDay(
  daysAgo: number,
  { devices, hours, messages }: { devices: number; hours: number; messages: number },
): Promise<TestSender[]> {
  const start = Math.floor(fixture.clock.now().getTime() / DAY - daysAgo) * DAY;
  const tenant = await fixture.tenant();
  const senders: TestSender[] = [];
  for (let device = 0; device < devices; device++) {
    const sender = await fixture.device(tenant);
    for (let hour = 0; hour < hours; hour++) {
      const of = Array.from({ length: messages }, (_, n) => ({ ts: start + hour * HOUR + n * 300, values: { a: n } }));
      for (let from = 0; from < messages; from += 500) await sender.publish(of.slice(from, from + 500));
    }
    senders.push(sender);
  }
  assert.equal(await rowsOf(senders), devices * hours * messages);
  return senders;
}

async function rowsOf(devices: readonly TestSender[]): Promise<number> {
  let rows = 0;
  for (const device of devices) rows += (await stored(fixture, device)).rows;
  return rows;
}

/** The maximum of a day's rows in hours without a chunk when its rows are dropped; those are stored again. */
const MOST_ROWS = 10_000;

test("a day that a tenant keeps busy does not keep the rows of other days", async () => {
  const late = { devices: 1, hours: 10, messages: 1_010 };
  const [older, busy, newer] = [
    await busyDay(4, late),
    await busyDay(3, { devices: 20, hours: 24, messages: 40 }),
    await busyDay(2, late),
  ];
  await slowProcess(2 * SECOND).retireMessages();
  assert.ok((await rowsOf(busy)) > MOST_ROWS, "the time is not enough for this day");
  assert.equal(await rowsOf(older), 0);
  assert.equal(await rowsOf(newer), 0);
});

test("time that one day does not need goes to the others, before and after it", async () => {
  const small = { devices: 2, hours: 1, messages: 5_005 };
  const [older, large, newer] = [
    await busyDay(4, small),
    // The day stays until 74 of these hours are in chunks. A third of the time is enough for some 50.
    await busyDay(3, { devices: 10, hours: 24, messages: 60 }),
    await busyDay(2, small),
  ];
  await slowProcess(1.4 * SECOND).retireMessages();
  assert.ok((await rowsOf(large)) <= MOST_ROWS);
  assert.equal(await rowsOf(older), 0);
  assert.equal(await rowsOf(newer), 0);
});
