import assert from "node:assert/strict";
import { test } from "node:test";
import { claimCodeIn } from "./claim-code-in.ts";

test("only a claim code is taken from the fragment of an address", () => {
  assert.equal(claimCodeIn("#CLAIM-4T9M-W2XA-7KQ2"), "CLAIM-4T9M-W2XA-7KQ2");
  assert.equal(claimCodeIn("CLAIM-4T9M-W2XA-7KQ2"), "CLAIM-4T9M-W2XA-7KQ2");
  assert.equal(claimCodeIn("#CLAIM-4T9M-W2XA-7KQ2'; reboot #"), undefined);
  assert.equal(claimCodeIn(""), undefined);
});
