import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type CrashWorld, crashWorld } from "./harness/crash.ts";
import { onPostgres } from "./harness/database.ts";
import { sequence } from "./harness/sequence.ts";

const KILLS = onPostgres ? 5 : 3;
const CLIENTS = 4;
const SEED = 20_261_120;

let world: CrashWorld;
before(async () => {
  world = await crashWorld({ faulty: false });
});
after(() => world?.close());

/** Redeems the claim until the process dies or the claim is spent. @returns the answers, and how many requests got none */
async function redeemUntilKilled(claimCode: string): Promise<{ answered: number; unanswered: number }> {
  let answered = 0;
  for (;;) {
    const { body } = await world.redemptionOf(claimCode);
    const answer = await world.redeem(body).catch(() => undefined);
    if (answer === undefined) return { answered, unanswered: 1 };
    // A fast machine spends the whole claim before the process dies.
    if (answer.json.error === "claim_exhausted") return { answered, unanswered: 0 };
    assert.equal(answer.status, 200, answer.text);
    answered++;
  }
}

test("killed at random under load: every answered use is counted, and each unanswered one is whole or absent", async () => {
  const random = sequence(SEED);
  let enrolled = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const claim = await world.claim(100);
    const work = Promise.all(Array.from({ length: CLIENTS }, () => redeemUntilKilled(claim.claimCode)));
    const moment = new Promise((resolve) => setTimeout(resolve, 50 + random() * 350));
    await Promise.race([moment, work]);
    await world.server.end("SIGKILL");
    const outcomes = await work;
    await world.restart();

    const answered = outcomes.reduce((sum, each) => sum + each.answered, 0);
    const unanswered = outcomes.reduce((sum, each) => sum + each.unanswered, 0);
    const used = await world.used(claim.id);
    assert.ok(used >= answered, `seed ${SEED}, kill ${kill}: ${answered} were answered, ${used} are in the books`);
    assert.ok(used <= answered + unanswered, `seed ${SEED}, kill ${kill}: ${used} used by ${answered}+${unanswered}`);
    enrolled += used;
    const { total } = (await world.api("GET", "devices?limit=1")).json;
    assert.equal(total, enrolled, `seed ${SEED}, kill ${kill}: a use is a device, a device is a use`);
    await world.doctor();
  }
  assert.ok(enrolled > 0, "nothing was enrolled: the kills proved nothing");
});
