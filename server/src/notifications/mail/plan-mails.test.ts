import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAILS_PER_WINDOW, planMails } from "./plan-mails.ts";

test("an address gets at most 20 mails in a minute, a mail that may have been sent is repeated as itself, and nothing waits while there is room", () => {
  const count = fc.nat(60);
  fc.assert(
    fc.property(count, count, count, (sent, fresh, again) => {
      const plan = planMails({ sent, fresh, again });
      const mails = plan.again + (plan.fresh === "each" ? fresh : plan.fresh === "digest" ? 1 : 0);
      assert.ok(plan.again <= again);
      assert.ok(mails <= Math.max(MAILS_PER_WINDOW - sent, 0));
      if (sent + fresh + again <= MAILS_PER_WINDOW) assert.deepEqual(plan, { again, fresh: "each" });
      if (sent < MAILS_PER_WINDOW && fresh > 0) assert.notEqual(plan.fresh, "wait");
    }),
  );
  assert.deepEqual(planMails({ sent: 0, fresh: 21, again: 0 }), { again: 0, fresh: "digest" });
  assert.deepEqual(planMails({ sent: 20, fresh: 1, again: 0 }), { again: 0, fresh: "wait" });
});
