import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addAnomaly } from "../harness/anomalies.ts";
import { onPostgres } from "../harness/database/database.ts";
import { addTenant } from "../harness/enrollment.ts";
import { ticketOf } from "../harness/tickets.ts";
import { type Job, type RaceTrack, startRaces, tally } from "./races.ts";

// With MUSTER_TEST_DATABASE_URL each race is between two server processes; otherwise within the process of the embedded
// database.
let track: RaceTrack;
before(async () => {
  track = await startRaces();
});
after(() => track.stop());

// Within one process every round has the same outcome.
const ROUNDS = onPostgres ? 3 : 2;
const NOWHERE = "00000000-0000-7000-8000-000000000000";
const times = <T>(n: number, make: (index: number) => T): T[] => Array.from({ length: n }, (_, index) => make(index));

async function deviceWithAnomaly(caller: Parameters<typeof addAnomaly>[1]) {
  const device = await track.devices.createDevice(caller, { name: "Pump" });
  return { deviceId: device.id, anomalyId: await addAnomaly(track, caller, device.id) };
}

test("fifty tickets opened simultaneously, some of which are refused, are numbered from 1 without a gap", async () => {
  const [one, two] = [await addTenant(track), await addTenant(track)];
  let opened = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { anomalyId } = await deviceWithAnomaly(one.caller);
    const jobs = times(50, (at): Job => {
      const more = [{}, { anomalyId }, { groupId: NOWHERE }, {}, {}][at % 5]!;
      return { use: "openTicket", args: [one.caller, { title: `${round}.${at}`, ...more }] };
    });
    jobs.push(...times(10, (): Job => ({ use: "openTicket", args: [two.caller, { title: "theirs" }] })));
    assert.deepEqual(tally(await track.race(jobs)), { ok: 41, already_exists: 9, invalid_request: 10 });
    opened += 31;
  }
  for (const [{ caller }, total] of [
    [one, opened],
    [two, ROUNDS * 10],
  ] as const) {
    const { rows } = await numbersOf(caller.tenantId);
    assert.deepEqual(
      rows,
      times(total, (at) => at + 1),
    );
  }
  await track.assertConsistent();
});

async function numbersOf(tenantId: string): Promise<{ rows: number[] }> {
  const query = track.database.db.selectFrom("tickets").select("number").where("tenant_id", "=", tenantId);
  return { rows: (await query.orderBy("number").execute()).map(({ number }) => number) };
}

test("an anomaly for which ten requests open, reopen and link tickets simultaneously has one unfinished ticket, and shows it", async () => {
  const { caller } = await addTenant(track);
  for (let round = 0; round < ROUNDS * 2; round++) {
    const { deviceId, anomalyId } = await deviceWithAnomaly(caller);
    const finished = [];
    for (let n = 0; n < 4; n++) {
      const { id } = await track.tickets.openTicket(caller, { title: "x", anomalyId });
      await track.tickets.changeTicket(caller, id, { status: "cancelled" });
      finished.push(id);
    }
    const loose = await track.tickets.openTicket(caller, { title: "x", deviceId });
    const jobs: Job[] = [
      ...times(5, (): Job => ({ use: "openTicket", args: [caller, { title: "x", anomalyId }] })),
      ...finished.map((id): Job => ({ use: "changeTicket", args: [caller, id, { status: "open" }] })),
      { use: "changeTicket", args: [caller, loose.id, { anomalyId }] },
    ];
    const outcomes = await track.race(jobs);
    assert.deepEqual(tally(outcomes), { ok: 1, already_exists: 9 });
    assert.equal(await ticketOf(track, caller, anomalyId), outcomes.find(({ code }) => code === "ok")!.result.id);
  }
  await track.assertConsistent();
});

test("tickets are finished, reopened and moved between two anomalies while their device is deleted, without a deadlock", async () => {
  const { caller } = await addTenant(track);
  for (let round = 0; round < ROUNDS * 2; round++) {
    const { deviceId, anomalyId } = await deviceWithAnomaly(caller);
    const other = await addAnomaly(track, caller, deviceId);
    const ids = await Promise.all(
      [anomalyId, other].map(
        async (each) => (await track.tickets.openTicket(caller, { title: "x", anomalyId: each })).id,
      ),
    );
    const [a, b] = ids as [string, string];
    const patches: [string, object][] = [
      [a, { status: "cancelled" }],
      [b, { status: "cancelled" }],
      [a, { anomalyId: other }],
      [b, { anomalyId }],
      [a, { anomalyId: null }],
      [a, { status: "in_progress" }],
      [b, { status: "open" }],
    ];
    const jobs = patches.map(([id, patch]): Job => ({ use: "changeTicket", args: [caller, id, patch] }));
    jobs.splice(round % 8, 0, { use: "deleteDevice", args: [caller, deviceId] });
    jobs.push({ use: "openTicket", args: [caller, { title: "x", anomalyId }] });
    const { ok = 0, already_exists = 0, invalid_transition = 0, ...rest } = tally(await track.race(jobs));
    assert.deepEqual(rest, {});
    assert.equal(ok + already_exists + invalid_transition, jobs.length);
  }
  await track.assertConsistent();
});
