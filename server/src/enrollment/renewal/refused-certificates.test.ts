import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedCertificates } from "./refused-certificates.ts";

test("beyond ten thousand refused certificates, the oldest is evicted", () => {
  const refused = new RefusedCertificates();
  for (let n = 0; n <= 10_000; n++) refused.add(`certificate-${n}`);
  assert.deepEqual(
    ["certificate-0", "certificate-1", "certificate-10000", "another"].map((each) => refused.has(each)),
    [false, true, true, false],
  );
});
