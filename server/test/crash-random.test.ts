import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type CrashWorld, crashWorld } from "./harness/crash.ts";

/** How long clients work and the process dies; the restarts between count too. */
const LOOP_MS = 9_000;
const CLIENTS = 4;
const SEED = 20_261_120;

let world: CrashWorld;
before(async () => {
  world = await crashWorld({ faulty: false });
});
after(() => world?.close());

/** A repeatable sequence of numbers in [0, 1): xorshift32. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

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
  const until = performance.now() + LOOP_MS;
  let kills = 0;
  let enrolled = 0;
  do {
    const claim = await world.claim(100);
    const work = Promise.all(Array.from({ length: CLIENTS }, () => redeemUntilKilled(claim.claimCode)));
    const moment = new Promise((resolve) => setTimeout(resolve, 50 + random() * 350));
    await Promise.race([moment, work]);
    await world.server.end("SIGKILL");
    const outcomes = await work;
    kills++;
    await world.restart();

    const answered = outcomes.reduce((sum, each) => sum + each.answered, 0);
    const unanswered = outcomes.reduce((sum, each) => sum + each.unanswered, 0);
    const used = await world.used(claim.id);
    assert.ok(used >= answered, `seed ${SEED}, kill ${kills}: ${answered} were answered, ${used} are in the books`);
    assert.ok(used <= answered + unanswered, `seed ${SEED}, kill ${kills}: ${used} used by ${answered}+${unanswered}`);
    enrolled += used;
    const { total } = (await world.api("GET", "devices?limit=1")).json;
    assert.equal(total, enrolled, `seed ${SEED}, kill ${kills}: a use is a device, a device is a use`);
    await world.doctor();
  } while (performance.now() < until);
  assert.ok(kills >= 2 && enrolled > 0, `only ${kills} kills, ${enrolled} enrollments: they proved nothing`);
});
