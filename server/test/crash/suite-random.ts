import assert from "node:assert/strict";
import { test } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import type { CrashFixture } from "../harness/processes/crash.ts";
import { sequence } from "../harness/sequence.ts";

const KILLS = onPostgres ? 5 : 1;
const CLIENTS = 4;
const SEED = 20_261_120;

/**
 * Redeems the claim until the process is killed or the claim is exhausted.
 * @param onAnswer called at every answered redemption
 * @returns how many requests were answered, and how many were not
 */
async function redeemUntilKilled(
  fixture: CrashFixture,
  claimCode: string,
  onAnswer: () => void,
): Promise<{ answered: number; unanswered: number }> {
  let answered = 0;
  for (;;) {
    const { body } = await fixture.redemptionOf(claimCode);
    const answer = await fixture.redeem(body).catch(() => undefined);
    if (answer === undefined) return { answered, unanswered: 1 };
    // A fast machine exhausts the claim before the process is killed.
    if (answer.json.error === "claim_exhausted") return { answered, unanswered: 0 };
    assert.equal(answer.status, 200, answer.text);
    answered++;
    onAnswer();
  }
}

/** Kills the process at random moments. */
export function randomCrashes(given: () => CrashFixture): void {
  test("killed at random under load: every answered redemption is stored, and each unanswered one is stored entirely or not at all", async () => {
    const fixture = given();
    const random = sequence(SEED);
    const count = async () => (await fixture.api("GET", "devices?limit=1")).json.total;
    const before = await count();
    let enrolled = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const claim = await fixture.claim(100);
      // The delay counts from the first answer, because the time to it after a start depends on the machine.
      const { promise: answers, resolve: onAnswer } = Promise.withResolvers<void>();
      const redeem = () => redeemUntilKilled(fixture, claim.claimCode, onAnswer);
      const work = Promise.all(Array.from({ length: CLIENTS }, redeem));
      const moment = answers.then(() => new Promise((resolve) => setTimeout(resolve, random() * 350)));
      await Promise.race([moment, work]);
      await fixture.server.end("SIGKILL");
      const outcomes = await work;
      await fixture.restart();

      const answered = outcomes.reduce((sum, each) => sum + each.answered, 0);
      const unanswered = outcomes.reduce((sum, each) => sum + each.unanswered, 0);
      const used = await fixture.used(claim.id);
      assert.ok(used >= answered, `seed ${SEED}, kill ${kill}: ${answered} were answered, ${used} are stored`);
      assert.ok(used <= answered + unanswered, `seed ${SEED}, kill ${kill}: ${used} used by ${answered}+${unanswered}`);
      enrolled += used;
      assert.equal(await count(), before + enrolled, `seed ${SEED}, kill ${kill}: as many devices as uses`);
      await fixture.doctor();
    }
    assert.ok(enrolled > 0, "nothing was enrolled: the kills proved nothing");
  });
}
