import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChangePosition, currentPosition, readChanges } from "../../src/telemetry/follow/changes.ts";
import type { Telemetry } from "../../src/telemetry/telemetry.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { newTenant } from "../harness/devices.ts";
import type { TwoServers } from "./suite-live.ts";

/** A tenant whose devices publish to either process, and a reader that reads their changes page by page. */
async function publishers({ server }: TwoServers, count: number) {
  const { app, clock } = server;
  const { db } = app.database;
  const { slug, caller } = await newTenant(server);
  const { tenantId } = caller;
  const made = await Promise.all(
    Array.from({ length: count }, () => app.devices.createDevice(caller, { name: "Pump" })),
  );
  const select = "SELECT uid, id FROM devices WHERE tenant_id = $1 ORDER BY uid";
  const devices = await runSql<{ uid: string; id: string }>(db, select, [tenantId]);
  assert.equal(devices.length, made.length);
  let position = await currentPosition(db);
  let n = 0;
  return {
    /** Publishes one message of a device, later than all previous ones. */
    say(device: number, values: Record<string, unknown>, by: Telemetry = app.telemetry): Promise<unknown> {
      const { uid, id } = devices[device]!;
      const payload = Buffer.from(JSON.stringify({ ts: clock.now().getTime() - 600_000 + n++, values }));
      return by.ingest({ tenantId, deviceUid: uid, deviceId: id, topic: `t/${slug}/telemetry/${id}`, payload });
    },
    /** Reads the next page as `device metric value`. */
    async read(page?: number): Promise<string[]> {
      const scope = { tenantId, viewer: undefined, deviceIds: undefined };
      const read = await readChanges(db, scope, position, page);
      position = read.next;
      return read.changes.flatMap(({ deviceId, values }) => {
        const device = devices.findIndex(({ id }) => id === deviceId);
        return values.map(({ metric, value }) => `${device} ${metric} ${value}`);
      });
    },
    at: (): ChangePosition => position,
    devices,
  };
}

/** The latest values that have changed since a read. */
export function changesRules(given: () => TwoServers): void {
  test("with more than a page of changes, every device is read completely in turn, however often others change", async () => {
    const { say, read, at } = await publishers(given(), 4);
    for (const device of [0, 1, 2, 3]) await say(device, { a: 1, b: 1 });
    assert.deepEqual(await read(5), ["0 a 1", "0 b 1", "1 a 1", "1 b 1"]);
    for (const device of [0, 1, 2]) await say(device, { a: 2 });
    assert.deepEqual(await read(5), ["2 a 2", "2 b 1", "3 a 1", "3 b 1"]);
    const round = await read(5);
    assert.deepEqual(round.slice(0, 2), ["0 a 2", "1 a 2"]);
    while (at().pass) await read(5);
    assert.deepEqual(await read(5), []);
    await say(3, { a: 3, b: 3, c: 3, d: 3, e: 3 });
    await say(0, { a: 3 });
    assert.deepEqual(await read(2), ["0 a 3"]);
    assert.deepEqual(await read(2), ["3 a 3", "3 b 3"]);
    assert.deepEqual(await read(2), ["3 c 3", "3 d 3"]);
    assert.deepEqual(await read(2), ["3 e 3"]);
    assert.deepEqual(await read(2), []);
  });

  if (!onPostgres) return;

  test("a batch that began before others and commits after them is read once it has committed", async () => {
    const { server, second } = given();
    const { say, read, devices } = await publishers(given(), 3);
    for (const device of [0, 1, 2]) await say(device, { a: 0 });
    await read();
    for (let round = 1; round <= 20; round++) {
      const lock = "SELECT FROM device_latest WHERE device_uid = $1 FOR UPDATE";
      let late: Promise<unknown> | undefined;
      await server.app.database.db.transaction().execute(async (tx) => {
        await runSql(tx, lock, [devices[0]!.uid]);
        late = say(0, { a: round }, second.app.telemetry);
        await lockWait();
        await say(1, { a: round });
        assert.deepEqual(await read(), [`1 a ${round}`]);
        await say(2, { a: round });
        assert.deepEqual(await read(), [`2 a ${round}`]);
        assert.deepEqual(await read(), []);
      });
      await late;
      assert.deepEqual(await read(), [`0 a ${round}`]);
      assert.deepEqual(await read(), []);
    }

    /**
     * Resolves when the batch of the other process waits for the row. Its transaction number dates from its beginning.
     */
    async function lockWait(): Promise<void> {
      const ask = `SELECT count(*) AS waiting FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock' AND backend_xid IS NOT NULL`;
      while ((await runSql<{ waiting: string }>(server.app.database.db, ask, []))[0]!.waiting === "0");
    }
  });

  test("two processes store in overlapping transactions, and a reader ends with exactly the latest values", async () => {
    const { server, second } = given();
    const { say, read, at } = await publishers(given(), 6);
    const now = new Map<string, string>();
    const record = (lines: string[]) => {
      for (const line of lines) now.set(line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1));
    };
    let storing = true;
    const reading = (async () => {
      for (let reads = 0; storing; reads++) record(await read(reads % 3 === 0 ? 4 : undefined));
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
          await runSql(tx, "SELECT pg_current_xact_id()", []);
          await say(5, { open: n }, second.app.telemetry);
        });
      }
      expected.set("5 open", "29");
    };
    await Promise.all([store(server.app.telemetry, 0), store(second.app.telemetry, 3), open()]);
    storing = false;
    await reading;
    for (let rest = true; rest; ) {
      const inRound = at().pass !== undefined;
      const page = await read(4);
      record(page);
      rest = inRound || page.length > 0;
    }
    assert.deepEqual([...now].sort(), [...expected].sort());
  });
}
