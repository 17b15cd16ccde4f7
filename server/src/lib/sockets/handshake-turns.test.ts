import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { HandshakeTurns } from "./handshake-turns.ts";

const connection = (remoteAddress: string, destroyed = false) => ({ remoteAddress, destroyed }) as Socket;
const CLOCK = { monotonicMs: () => 0 };
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("one handshake starts per turn of the event loop, and the address blocks take turns", async () => {
  const begun: string[] = [];
  const turns = new HandshakeTurns(CLOCK, ({ remoteAddress }) => void begun.push(remoteAddress!));
  for (let count = 0; count < 4; count++) turns.add(connection("192.0.2.1"));
  turns.add(connection("192.0.2.2"));
  for (let count = 1; count <= 5; count++) {
    await nextTurn();
    assert.equal(begun.length, count);
  }
  assert.equal(begun.indexOf("192.0.2.2"), 1);
  turns.add(connection("192.0.2.3"));
  await nextTurn();
  assert.equal(begun.at(-1), "192.0.2.3");
});

test("a connection closed while it waited takes no turn", async () => {
  const begun: string[] = [];
  const turns = new HandshakeTurns(CLOCK, ({ remoteAddress }) => void begun.push(remoteAddress!));
  turns.add(connection("192.0.2.1"));
  turns.add(connection("192.0.2.2", true));
  turns.add(connection("192.0.2.3"));
  await nextTurn();
  await nextTurn();
  assert.deepEqual(begun, ["192.0.2.1", "192.0.2.3"]);
});
