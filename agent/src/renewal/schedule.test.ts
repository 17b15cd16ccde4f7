import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Identity } from "../state/identity.ts";
import { certificateDates, renewalDue, sleepTowards } from "./schedule.ts";

const DAY = 86_400_000;
const ISSUED = Date.UTC(2026, 10, 20, 12);
const dates = { notBefore: ISSUED - 300_000, expiresAt: ISSUED + 30 * DAY, renewAfter: ISSUED + 21 * DAY };

function identity(record: { certExpiresAt: string; renewAfterUtc: string }) {
  const certificate = {
    validFrom: new Date(dates.notBefore).toUTCString(),
    validTo: new Date(dates.expiresAt).toUTCString(),
  };
  return { certificate, device: record } as unknown as Pick<Identity, "certificate" | "device">;
}

test("renewal is due between day 21 and a tenth of the remaining validity later", () => {
  assert.equal(renewalDue(dates, 0), dates.renewAfter);
  assert.equal(renewalDue(dates, 0.5), dates.renewAfter + 0.45 * DAY);
});

test("the jitter is at most a day and ends before expiry", () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 400 }), chance, (daysLeft, random) => {
      const due = renewalDue({ ...dates, expiresAt: dates.renewAfter + daysLeft * DAY }, random);
      assert.ok(due >= dates.renewAfter && due <= dates.renewAfter + DAY);
      if (daysLeft >= 0) assert.ok(due <= dates.renewAfter + daysLeft * DAY);
    }),
  );
});

test("the recorded renewal date applies to the recorded certificate", () => {
  const read = certificateDates(
    identity({ certExpiresAt: new Date(dates.expiresAt).toISOString(), renewAfterUtc: "2026-12-01T00:00:00Z" }),
  );
  assert.equal(read.renewAfter, Date.UTC(2026, 11, 1));
});

test("a certificate installed by hand is renewed after seven tenths of its validity", () => {
  const read = certificateDates(
    identity({ certExpiresAt: "2026-11-21T00:00:00Z", renewAfterUtc: "2026-11-20T00:00:00Z" }),
  );
  assert.equal(read.expiresAt, dates.expiresAt);
  assert.equal(read.renewAfter, dates.notBefore + 0.7 * (dates.expiresAt - dates.notBefore));
});

test("sleeps are at most an hour, and zero once renewal is due", () => {
  assert.equal(sleepTowards(ISSUED + 25 * DAY, ISSUED), 3_600_000);
  assert.equal(sleepTowards(ISSUED + 1000, ISSUED), 1000);
  assert.equal(sleepTowards(ISSUED - 1, ISSUED), 0);
});
