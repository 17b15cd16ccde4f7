import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import { connectMqtt } from "../harness/devices.ts";
import { type CrashFixture, deviceOf, startCrashFixture } from "../harness/processes/crash.ts";

let fixture: CrashFixture;
before(async () => {
  // The master key is in the data folder.
  fixture = await startCrashFixture({ env: { MUSTER_MASTER_KEY: "" } });
});
after(() => fixture?.close());

const keyFiles = async () => (await readdir(fixture.dataDir)).filter((name) => name.startsWith("master.key")).sort();

/**
 * The points of a kill. Each costs two starts. The embedded database, where a start is slower, tests only the point at
 * which the database and the files differ.
 */
const STEPS = onPostgres ? ["prepared", "commit", "committed", "kept", "promoted"] : ["committed"];

for (const step of STEPS) {
  test(`killed in a rotation of the master key at ${step}: the service starts, nothing is lost, and a repetition completes it`, async () => {
    const device = await fixture.enroll();
    const claim = await fixture.claim();
    await fixture.killedAt(`master-key.${step}`, () => fixture.server.command("master-key.rotate", {}));
    (await connectMqtt(fixture.server, device)).end(true);
    const interrupted = (await keyFiles()).includes("master.key.next");
    assert.equal(interrupted, step === "prepared" || step === "commit", (await keyFiles()).join());

    const { formerKeyId } = await fixture.server.command("master-key.rotate", {});
    assert.ok((await keyFiles()).includes(`master.key.${formerKeyId}`));
    assert.ok(!(await keyFiles()).includes("master.key.next"));
    await fixture.server.end("SIGKILL");
    await fixture.restart();
    const answer = await fixture.redeem(claim.body);
    assert.equal(answer.status, 200, answer.text);
    (await connectMqtt(fixture.server, deviceOf(answer, claim.key))).end(true);
    await fixture.doctor();
  });
}
