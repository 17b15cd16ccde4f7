import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnomalyMessage, CertificateMessage } from "../message.ts";
import { mailText } from "./mail-text.ts";

const OPENED: AnomalyMessage = {
  type: "anomaly.opened",
  at: "2026-07-21T12:00:00.000Z",
  timeZone: "Europe/Berlin",
  group: { id: "g", name: "Pump hall" },
  device: { id: "pump-1", name: "Pump 1", place: "Hall 3" },
  anomaly: {
    id: "a1",
    severity: "critical",
    message: "temperature is above 90",
    metric: "temperature",
    value: 95,
    limit: 90,
    openedAt: "2026-07-21T12:00:00.000Z",
    resolvedAt: null,
    resolvedBy: null,
  },
};
const OVERDUE: CertificateMessage = {
  type: "certificate.renewal_overdue",
  at: "2026-07-21T12:00:00.000Z",
  timeZone: "UTC",
  device: { id: "pump-1", name: "Pump 1" },
  certificate: { id: "c", serialNumber: "0a", expiresAt: "2026-07-30T12:00:00.000Z" },
};

test("a page names the device and what is wrong, in the local time of the recipient's shift, with a link", () => {
  const { subject, text } = mailText(OPENED, "https://muster.example");
  assert.equal(subject, "[Muster] CRITICAL: Pump 1: temperature is above 90");
  for (const line of [
    /^Device +Pump 1 \(pump-1\), Hall 3$/m,
    /^Metric +temperature$/m,
    /^Value +95$/m,
    /^Limit +90$/m,
    /^Severity +critical$/m,
    /^Opened +2026-07-21 14:00:00 \(Europe\/Berlin\)$/m,
    /^https:\/\/muster.example\/anomalies\/a1$/m,
  ])
    assert.match(text, line);
  const resolvedAt = "2026-07-21T12:30:00.000Z";
  const over = { ...OPENED.anomaly, resolvedAt, resolvedBy: "system" };
  const end = mailText({ ...OPENED, type: "anomaly.resolved", anomaly: over }, "https://m");
  assert.equal(end.subject, "[Muster] RESOLVED: Pump 1: temperature is above 90");
  assert.match(end.text, /^Resolved +2026-07-21 14:30:00 \(Europe\/Berlin\) by system$/m);
});

test("a page names the metric and its unit as the device's type does", () => {
  const anomaly = { ...OPENED.anomaly, label: "Bearing temperature", unit: "°C" };
  const { text } = mailText({ ...OPENED, anomaly }, "https://muster.example");
  for (const line of [/^Metric +Bearing temperature \(temperature\)$/m, /^Value +95 °C$/m, /^Limit +90 °C$/m])
    assert.match(text, line);
});

test("a device name cannot start a header or a line of its own, or fill the subject", () => {
  for (const bad of [
    "x\r\nBcc: eve@evil.example",
    "x\nBcc: eve",
    "x\u2028Bcc: eve",
    "x\0y",
    "\ud800",
    "y".repeat(9_999),
  ]) {
    const device = { id: "p", name: bad };
    const { subject, text } = mailText({ ...OPENED, device, group: { id: "g", name: bad } }, "https://m");
    assert.ok(!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject) && subject.length <= 200 && subject.isWellFormed());
    assert.ok(!/^Bcc/m.test(text) && !/[\r\0\u2028]/.test(text) && text.isWellFormed());
  }
});

test("a digest has a line for each message and the number of omitted ones", () => {
  const items = [OVERDUE, ...Array.from({ length: 199 }, () => OPENED)];
  const digest = { type: "digest", at: OPENED.at, timeZone: "UTC", total: 301, items } as const;
  const { subject, text } = mailText(digest, "https://m");
  assert.equal(subject, "[Muster] 301 messages");
  assert.equal(text.match(/CRITICAL: Pump 1/g)!.length, 199);
  assert.match(text, /Pump 1 has not renewed its certificate in time\n/);
  assert.match(text, /and 101 more/);
});

test("a notice names the device, the certificate and its end", () => {
  const { subject, text } = mailText(OVERDUE, "https://m");
  assert.equal(subject, "[Muster] Pump 1 has not renewed its certificate in time");
  assert.match(text, /^Ends +2026-07-30 12:00:00 \(UTC\)$/m);
  assert.match(text, /^https:\/\/m\/devices\/pump-1$/m);
});

test("a notice of suppressed messages states their number, the minute and the limit", () => {
  const at = "2026-07-21T12:00:00.000Z";
  const notice = { type: "notifications.suppressed", at, timeZone: "UTC", suppressed: 40, limit: 600 } as const;
  const { subject, text } = mailText(notice, "https://m");
  assert.equal(subject, "[Muster] 40 messages were suppressed");
  assert.match(text, /from 2026-07-21 12:00:00 \(UTC\) .* 600 per minute/);
});
