import assert from "node:assert/strict";
import { test } from "node:test";
import { runRaw } from "../../src/db/database.ts";
import { changedTelemetry, placeNow, type TelemetryPlace } from "../../src/telemetry/live/telemetry-changes.ts";
import type { Telemetry } from "../../src/telemetry/telemetry.ts";
import { onPostgres } from "../harness/database.ts";
import { newTenant } from "../harness/devices.ts";
import type { TwoServers } from "./suite-live.ts";

/** A tenant whose devices talk to either process, and somebody who looks page by page at what they said. */
async function talkers({ server }: TwoServers, count: number) {
  const { app, clock } = server;
  const { db } = app.database;
  const { slug, caller } = await newTenant(server);
  const { tenantId } = caller;
  const made = await Promise.all(
    Array.from({ length: count }, () => app.devices.createDevice(caller, { name: "Pump" })),
  );
  const select = "SELECT uid, id FROM devices WHERE tenant_id = $1 ORDER BY uid";
  const devices = await runRaw<{ uid: string; id: string }>(db, select, [tenantId]);
  assert.equal(devices.length, made.length);
  let place = await placeNow(db);
  let n = 0;
  return {
    /** One message of a device, later than all before. */
    say(device: number, values: Record<string, unknown>, by: Telemetry = app.telemetry): Promise<void> {
      const { uid, id } = devices[device]!;
      const payload = Buffer.from(JSON.stringify({ ts: clock.now().getTime() - 600_000 + n++, values }));
      return by.ingest({ tenantId, deviceUid: uid, deviceId: id, topic: `t/${slug}/telemetry/${id}`, payload });
    },
    /** The next page: `device metric value`. */
    async look(page?: number): Promise<string[]> {
      const whose = { tenantId, boundedTo: undefined, deviceIds: undefined };
      const read = await changedTelemetry(db, whose, place, page);
      place = read.next;
      return read.changes.flatMap(({ deviceId, values }) => {
        const device = devices.findIndex(({ id }) => id === deviceId);
        return values.map(({ metric, value }) => `${device} ${metric} ${value}`);
      });
    },
    at: (): TelemetryPlace => place,
    devices,
  };
}

/** What has changed since a look, at its newest. */
export function changesRules(given: () => TwoServers): void {
  test("more than a page goes round by device: each has its turn, whole, however often the others change", async () => {
    const { say, look, at } = await talkers(given(), 4);
    for (const device of [0, 1, 2, 3]) await say(device, { a: 1, b: 1 });
    assert.deepEqual(await look(5), ["0 a 1", "0 b 1", "1 a 1", "1 b 1"]);
    for (const device of [0, 1, 2]) await say(device, { a: 2 });
    assert.deepEqual(await look(5), ["2 a 2", "2 b 1", "3 a 1", "3 b 1"]);
    const round = await look(5);
    assert.deepEqual(round.slice(0, 2), ["0 a 2", "1 a 2"]);
    while (at().round) await look(5);
    assert.deepEqual(await look(5), []);
    await say(3, { a: 3, b: 3, c: 3, d: 3, e: 3 });
    await say(0, { a: 3 });
    assert.deepEqual(await look(2), ["0 a 3"]);
    assert.deepEqual(await look(2), ["3 a 3", "3 b 3"]);
    assert.deepEqual(await look(2), ["3 c 3", "3 d 3"]);
    assert.deepEqual(await look(2), ["3 e 3"]);
    assert.deepEqual(await look(2), []);
  });

  if (!onPostgres) return;

  test("a batch that began before others and commits after them is told as soon as it has, and only then", async () => {
    const { server, second } = given();
    const { say, look, devices } = await talkers(given(), 3);
    for (const device of [0, 1, 2]) await say(device, { a: 0 });
    await look();
    for (let round = 1; round <= 20; round++) {
      const hold = "SELECT FROM telemetry_latest WHERE device_uid = $1 FOR UPDATE";
      let late: Promise<void> | undefined;
      await server.app.database.db.transaction().execute(async (tx) => {
        await runRaw(tx, hold, [devices[0]!.uid]);
        late = say(0, { a: round }, second.app.telemetry);
        await someoneWaits();
        await say(1, { a: round });
        assert.deepEqual(await look(), [`1 a ${round}`]);
        await say(2, { a: round });
        assert.deepEqual(await look(), [`2 a ${round}`]);
        assert.deepEqual(await look(), []);
      });
      await late;
      assert.deepEqual(await look(), [`0 a ${round}`]);
      assert.deepEqual(await look(), []);
    }

    /** Until the batch of the other process waits for the row: its transaction has had its number since it began. */
    async function someoneWaits(): Promise<void> {
      const ask = `SELECT count(*) AS waiting FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock' AND backend_xid IS NOT NULL`;
      while ((await runRaw<{ waiting: string }>(server.app.database.db, ask, []))[0]!.waiting === "0");
    }
  });

  test("two processes store, transactions overlap: who looks all the while ends with exactly the latest values", async () => {
    const { server, second } = given();
    const { say, look, at } = await talkers(given(), 6);
    const now = new Map<string, string>();
    const note = (lines: string[]) => {
      for (const line of lines) now.set(line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1));
    };
    let storing = true;
    const looking = (async () => {
      for (let looks = 0; storing; looks++) note(await look(looks % 3 === 0 ? 4 : undefined));
    })();
    const expected = new Map<string, string>();
    const store = async (by: Telemetry, first: number) => {
      for (let n = 0; n < 150; n++) {
        const batch = [0, 1, 2].map((which) => {
          const device = first + ((n + which) % 3);
          expected.set(`${device} m${which}`, String(n));
          return say(device, { [`m${which}`]: n }, by);
        });
        await Promise.all(batch);
      }
    };
    const open = async () => {
      for (let n = 0; n < 30; n++) {
        await server.app.database.db.transaction().execute(async (tx) => {
          await runRaw(tx, "SELECT pg_current_xact_id()", []);
          await say(5, { open: n }, second.app.telemetry);
        });
      }
      expected.set("5 open", "29");
    };
    await Promise.all([store(server.app.telemetry, 0), store(second.app.telemetry, 3), open()]);
    storing = false;
    await looking;
    for (let rest = true; rest; ) {
      const inRound = at().round !== undefined;
      const page = await look(4);
      note(page);
      rest = inRound || page.length > 0;
    }
    assert.deepEqual([...now].sort(), [...expected].sort());
  });
}
