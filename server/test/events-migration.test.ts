import assert from "node:assert/strict";
import { test } from "node:test";
import { openEmbedded } from "../src/db/embedded/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { openPostgres } from "../src/db/postgres.ts";
import { describeChange } from "../src/events/events.ts";
import { type EventPage, readEvents } from "../src/events/read-events.ts";
import { createLogger } from "../src/lib/logger.ts";
import { dequeueChanges } from "../src/notifications/paging/inbox-store.ts";
import { newTurn } from "../src/notifications/paging/take-turns.ts";
import { bareDatabase } from "./harness/database.ts";
import { runSql } from "./harness/run-sql.ts";

const TENANT = "018f0000-0000-7000-8000-000000000001";
const BEFORE_RECORDED_CHANGES = 13;

const anomaly = {
  anomalyId: "018f0000-0000-7000-8000-000000000002",
  thresholdId: null,
  ruleId: null,
  metric: null,
  value: 95.5,
  limit: [10, 90],
  severity: "major",
  status: "open",
  message: "silent",
  acknowledgedBy: null,
  comment: null,
  resolvedBy: null,
};
const ticket = {
  ticketId: "018f0000-0000-7000-8000-000000000003",
  number: 7,
  title: "Oil it",
  status: "open",
  priority: "low",
  anomalyId: null,
  groupId: null,
  assigneeUserId: null,
  createdBy: "system",
};
const certificate = { certificateId: "c", serialNumber: "01", previousSerialNumber: null, actor: "system" };

/** As the triggers of schema 13 wrote them. */
const RECORDED: { kind: string; data: object }[] = [
  { kind: "anomaly.opened", data: anomaly },
  { kind: "anomaly.acknowledged", data: { ...anomaly, status: "acknowledged", acknowledgedBy: "u", comment: "seen" } },
  { kind: "anomaly.resolved", data: { ...anomaly, status: "resolved", resolvedBy: "system" } },
  { kind: "ticket.opened", data: ticket },
  { kind: "ticket.changed", data: { ...ticket, status: "in_progress" } },
  { kind: "device.online", data: { reason: "connected" } },
  { kind: "device.offline", data: { reason: null } },
  { kind: "certificate.minted", data: certificate },
  { kind: "certificate.enrolled", data: certificate },
  { kind: "certificate.renewed", data: { ...certificate, previousSerialNumber: "00" } },
  { kind: "certificate.revoked", data: certificate },
  { kind: "finding.shared_key", data: { findingId: "f", certificateId: null } },
  { kind: "certificate.superseded_tried", data: { certificateId: "c", serialNumber: "01", remoteAddress: "::1" } },
];
const IN_INBOX = RECORDED.filter(
  ({ kind }) => kind.startsWith("anomaly.") || kind === "finding.shared_key" || kind === "certificate.superseded_tried",
);

test("events and the inbox of an earlier version are read as they were recorded", async () => {
  const { url, snapshot, remove } = await bareDatabase();
  const database = await (url
    ? openPostgres(url, { logger: createLogger("silent") })
    : openEmbedded({ dataDir: "memory", snapshot, sync: false, logger: createLogger("silent") }));
  const { db } = database;
  try {
    await migrate(database, BEFORE_RECORDED_CHANGES);
    const insert =
      "INSERT INTO events (tenant_id, at, kind, device_id, data) VALUES ($1, now(), $2, 'd', $3::text::jsonb)";
    for (const { kind, data } of RECORDED) await runSql(db, insert, [TENANT, kind, JSON.stringify(data)]);
    await migrate(database);

    let page: EventPage;
    // An event is readable when no older transaction of the PostgreSQL cluster is open.
    do page = await readEvents(db, TENANT, "0.0", 100);
    while (page.events.length < RECORDED.length);
    assert.deepEqual(
      page.events.map(({ kind, data }) => ({ kind, data })),
      RECORDED,
    );
    const inbox = await db.transaction().execute((tx) => dequeueChanges(tx, newTurn().after));
    assert.deepEqual(inbox.map(describeChange), IN_INBOX);
  } finally {
    await database.close();
    await remove();
  }
});
