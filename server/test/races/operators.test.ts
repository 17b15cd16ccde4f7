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

const ROUNDS = onPostgres ? 20 : 4;

/** A user who runs the installation, in a new tenant where another admin stays. */
async function addOperator(): Promise<Caller> {
  const { caller } = await addTenant(track);
  const create = (name: string) =>
    track.access.createUser(caller, { email: `${name}@${caller.tenantSlug}.example`, role: "admin" });
  const [{ id: userId, email }] = [await create("operator"), await create("other")];
  await track.access.setPlatformUser(caller, email, true);
  const rights = { kind: "user", userId, role: "admin", platform: true } as const;
  return { ...caller, actor: `user:${userId}`, rights };
}

/** Ways to stop being a user who runs the installation. */
const ENDS: readonly ((caller: Caller, id: string) => Job)[] = [
  (caller, id) => ({ use: "changeUser", args: [caller, id, { role: "viewer" }] }),
  (caller, id) => ({ use: "changeUser", args: [caller, id, { status: "deactivated" }] }),
  (caller, id) => ({ use: "removeUser", args: [caller, id] }),
];

test("when two users who run the installation stop simultaneously, one stays", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await runSql(track.database.db, "UPDATE users SET platform = false", []);
    const operators = [await addOperator(), await addOperator()];
    const jobs = operators.map((caller, at) => {
      const { rights } = caller;
      return ENDS[(round + at) % ENDS.length]!(caller, rights.kind === "user" ? rights.userId : "");
    });
    const outcomes = await track.race(jobs);
    assert.deepEqual(outcomes.map(({ code }) => code).sort(), ["last_operator", "ok"]);
    const left = await runSql(
      track.database.db,
      "SELECT id FROM users WHERE platform AND role = 'admin' AND status = 'active' AND deleted_at IS NULL",
      [],
    );
    assert.equal(left.length, 1, `round ${round}`);
  }
  await track.assertConsistent();
});
