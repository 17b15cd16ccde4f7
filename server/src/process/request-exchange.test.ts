import assert from "node:assert/strict";
import { test } from "node:test";
import { inNotifications } from "./request-exchange.ts";

test("however many addresses there are, those with the most requests fit into notifications that PostgreSQL accepts", () => {
  const keys = Array.from({ length: 20_000 }, (_, n): [string, number] => [
    `ffff:ffff:${n.toString(16)}:ffff::/64`,
    n === 19_999 ? 30_000 : 1 + (n % 600),
  ]);
  const sent = inNotifications([
    ["device", keys],
    ["session", [["01890000-0000-7000-8000-0000000000aa", 599]]],
    ["sign-in", [["x".repeat(10_000), 9_999]]],
  ]);
  for (const counts of sent)
    assert.ok(Buffer.byteLength(JSON.stringify(["01890000-0000-7000-8000-0000000000aa", counts])) < 8_000);
  const requests = sent.flat().flatMap(([, of]) => of.map(([, n]) => n));
  assert.equal(requests.length, 450);
  assert.equal(requests[0], 30_000);
  assert.ok(requests.every((n) => n > 580));
  assert.deepEqual(
    sent.flat().filter(([name]) => name !== "device"),
    [["session", [["01890000-0000-7000-8000-0000000000aa", 599]]]],
  );
  assert.deepEqual(inNotifications([]), []);
});
