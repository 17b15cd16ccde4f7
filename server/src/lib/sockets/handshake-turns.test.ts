import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { HandshakeTurns } from "./handshake-turns.ts";

const connection = (remoteAddress: string, destroyed = false) => ({ remoteAddress, destroyed }) as Socket;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("four handshakes start per turn of the event loop, and the address blocks take turns", async () => {
  const begun: string[] = [];
  const turns = new HandshakeTurns(({ remoteAddress }) => void begun.push(remoteAddress!));
  for (let count = 0; count < 10; count++) turns.add(connection("192.0.2.1"));
  turns.add(connection("192.0.2.2"));
  assert.equal(begun.length, 4);
  await nextTurn();
  assert.equal(begun.length, 8);
  assert.equal(begun.indexOf("192.0.2.2"), 5);
  await nextTurn();
  assert.equal(begun.length, 11);
  await nextTurn();
  turns.add(connection("192.0.2.3"));
  assert.equal(begun.at(-1), "192.0.2.3");
});

test("a connection closed while it waited takes no turn", async () => {
  let begun = 0;
  const turns = new HandshakeTurns(() => void begun++);
  for (let count = 0; count < 4; count++) turns.add(connection("192.0.2.1"));
  turns.add(connection("192.0.2.1", true));
  for (let count = 0; count < 4; count++) turns.add(connection("192.0.2.1"));
  await nextTurn();
  assert.equal(begun, 8);
});
