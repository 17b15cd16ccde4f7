import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { addTenant } from "../harness/enrollment.ts";
import { type Job, type RaceTrack, startRaces } from "./races.ts";

// With MUSTER_TEST_DATABASE_URL each race is between two server processes; otherwise within the process of the embedded
// database.
let track: RaceTrack;
before(async () => {
  track = await startRaces();
});
after(() => track.stop());

const ROUNDS = onPostgres ? 30 : 6;
/** One side may win thirty consecutive rounds by chance, but not ten times as many. */
const MOST_ROUNDS = 10 * ROUNDS;

/** Creates an admin in a new tenant where another admin stays, and the ways in which the admin's right ends. */
async function addAdmin() {
  const { caller } = await addTenant(track);
  const create = (name: string) =>
    track.access.createUser(caller, { email: `${name}@${caller.tenantSlug}.example`, role: "admin" });
  const [{ id: userId }] = [await create("owner"), await create("other")];
  const admin: Caller = { ...caller, actor: `user:${userId}`, rights: { kind: "user", userId, role: "admin" } };
  const ends: readonly Job[] = [
    { use: "changeUser", args: [caller, userId, { role: "operator" }] },
    { use: "changeUser", args: [caller, userId, { status: "deactivated" }] },
    { use: "removeUser", args: [caller, userId] },
  ];
  return { caller, admin, ends, userId };
}

test("no MQTT client works that a former admin registers, enables or rotates while the admin's right ends", async () => {
  const seen = new Set<string>();
  const close = () => !onPostgres || (seen.has("ok") && seen.has("insufficient_role"));
  for (let round = 0; round < ROUNDS || (!close() && round < MOST_ROUNDS); round++) {
    const { caller, admin, ends, userId } = await addAdmin();
    const names = [0, 1, 2, 3].map((nth) => ({
      clientId: `${caller.tenantSlug}-${nth}`,
      username: `${caller.tenantSlug}-${nth}`,
    }));
    const [fresh, off, on, owned] = names as [Name, Name, Name, Name];
    for (const name of [off, on]) await track.connections.createMqttClient(caller, name);
    await track.connections.createMqttClient(admin, owned);
    await track.connections.disableMqttClient(caller, off.clientId);
    const uses: Job[] = [
      { use: "createMqttClient", args: [admin, fresh] },
      { use: "enableMqttClient", args: [admin, off.clientId] },
      { use: "rotateMqttClientPassword", args: [admin, on.clientId] },
      { use: "rotateMqttClientPassword", args: [admin, owned.clientId] },
    ];
    const end = ends[round % ends.length]!;
    const [demoted, ...outcomes] =
      round % 2 === 0
        ? await track.race([end, ...uses])
        : await track.race([...uses, end]).then((all) => [all.at(-1)!, ...all.slice(0, -1)]);
    assert.equal(demoted!.code, "ok");
    for (const { code } of outcomes) {
      assert.ok(["ok", "insufficient_role"].includes(code), code);
      seen.add(code);
    }
    const rows = await runSql<{ works: boolean }>(
      track.database.db,
      "SELECT disabled_at IS NULL AND NOT suspended AS works FROM mqtt_clients WHERE owner_id = $1",
      [userId],
    );
    assert.ok(rows.length >= 1, "the one that was registered before");
    assert.deepEqual(
      rows.filter(({ works }) => works),
      [],
      `round ${round}`,
    );
  }
  assert.ok(close(), `every request ended as ${[...seen]}`);
  await track.assertConsistent();
});

type Name = { clientId: string; username: string };

test("an admin who takes a client over while its owner's right ends keeps it", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { caller, admin, ends } = await addAdmin();
    const email = `other@${caller.tenantSlug}.example`;
    const [other] = await runSql<{ id: string }>(track.database.db, "SELECT id FROM users WHERE email = $1", [email]);
    const rights = { kind: "user", userId: other!.id, role: "admin" } as const;
    const clientId = `${caller.tenantSlug}-gw`;
    await track.connections.createMqttClient(admin, { clientId, username: clientId });
    const takeOver: Job = {
      use: "rotateMqttClientPassword",
      args: [{ ...caller, actor: `user:${rights.userId}`, rights }, clientId],
    };
    const outcomes = await track.race([ends[round % ends.length]!, takeOver]);
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      ["ok", "ok"],
    );
    const [row] = await runSql(track.database.db, "SELECT owner_id, suspended FROM mqtt_clients WHERE client_id = $1", [
      clientId,
    ]);
    assert.deepEqual(row, { owner_id: other!.id, suspended: false });
  }
});
