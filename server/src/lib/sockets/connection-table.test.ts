import assert from "node:assert/strict";
import { test } from "node:test";
import { addressRange } from "../address.ts";
import { ConnectionTable } from "./connection-table.ts";

interface Connection {
  name: string;
}

function table(...exempt: string[]) {
  const connections = new ConnectionTable<Connection>(exempt.map((text) => addressRange(text)!));
  const add = (address: string, count = 1) =>
    Array.from({ length: count }, (_, n) => {
      const connection = { name: `${address} ${n}` };
      connections.add(connection, address);
      return connection;
    });
  return { connections, add };
}

test("the connection to close is the least recently used one in the block with the most", () => {
  const { connections, add } = table();
  const [honest] = add("10.0.0.1");
  const attacker = add("10.0.0.2", 3);
  connections.setBusy(attacker[0]!, false);
  assert.equal(connections.ofGreediest(), attacker[1]);
  connections.remove(attacker[1]!);
  assert.equal(connections.ofGreediest(), attacker[2]);
  connections.remove(attacker[2]!);
  assert.equal(connections.ofGreediest(), honest, "among equal blocks, the least recently changed one");
  assert.equal(connections.size, 2);
});

test("an idle connection is closed before a busy one", () => {
  const { connections, add } = table();
  const [first, second, third] = add("10.0.0.1", 3);
  connections.setBusy(first!, true);
  connections.setBusy(second!, true);
  assert.equal(connections.ofGreediest(), third);
  assert.equal(connections.idleOf("10.0.0.1"), third);
  connections.setBusy(third!, true);
  assert.equal(connections.idleOf("10.0.0.1"), undefined);
  assert.equal(connections.ofGreediest(), first);
  connections.setBusy(second!, false);
  assert.equal(connections.ofGreediest(), second);
});

test("IPv6 addresses of one /64 are one block, IPv4 addresses one each, mapped or not", () => {
  const { connections, add } = table();
  add("2001:db8::1");
  add("2001:db8::ffff:2");
  add("2001:db8:0:1::1");
  assert.equal(connections.countOf("2001:db8::3"), 2);
  add("10.0.0.1");
  add("::ffff:10.0.0.1");
  assert.equal(connections.countOf("10.0.0.1"), 2);
  assert.equal(connections.countOf("10.0.0.2"), 0);
});

test("each connection from an exempt address is a block of its own", () => {
  const { connections, add } = table("10.0.0.0/24");
  const proxied = add("10.0.0.7", 5);
  assert.equal(connections.countOf("10.0.0.7"), 0);
  const [, second] = add("192.0.2.1", 2);
  connections.remove(connections.ofGreediest()!);
  assert.equal(connections.ofGreediest(), proxied[0], "among single ones the oldest");
  connections.setBusy(proxied[0]!, false);
  assert.equal(connections.ofGreediest(), proxied[1], "more precisely, the least recently used one");
  connections.remove(second!);
  assert.equal(connections.size, 5);
});

test("after any sequence of changes the greediest block is the largest, and an empty table has none", () => {
  const { connections } = table();
  const open: { connection: Connection; address: string }[] = [];
  let state = 20261122;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let step = 0; step < 5_000; step++) {
    const choice = random(5);
    if (choice < 2 + Number(step < 2_500)) {
      const entry = { connection: { name: String(step) }, address: `10.0.0.${random(8)}` };
      connections.add(entry.connection, entry.address);
      open.push(entry);
    } else if (open.length > 0) {
      const at = random(open.length);
      if (choice === 3) connections.setBusy(open[at]!.connection, random(2) === 0);
      else connections.remove(open.splice(at, 1)[0]!.connection);
    }
    const sizes = Map.groupBy(open, ({ address }) => address);
    const largest = Math.max(0, ...[...sizes.values()].map(({ length }) => length));
    const greediest = connections.ofGreediest();
    const block = open.find(({ connection }) => connection === greediest)?.address;
    assert.equal(block === undefined ? 0 : sizes.get(block)!.length, largest);
  }
  for (const { connection } of open) connections.remove(connection);
  assert.deepEqual([connections.ofGreediest(), connections.size], [undefined, 0]);
});
