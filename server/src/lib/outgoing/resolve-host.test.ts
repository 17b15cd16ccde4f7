import assert from "node:assert/strict";
import { pbkdf2 } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createResolve, hostsEntries } from "./resolve-host.ts";

const signal = new AbortController().signal;

/** Runs a name server on loopback. Without `answer`, it stays silent. */
async function nameServer(
  t: TestContext,
  answer?: (question: Buffer) => Buffer,
): Promise<{ at: string; asked: number }> {
  const socket: Socket = createSocket("udp4");
  t.after(() => socket.close());
  const server = { at: "", asked: 0 };
  socket.on("message", (question, { port, address }) => {
    server.asked++;
    if (answer) socket.send(answer(question), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  server.at = `127.0.0.1:${socket.address().port}`;
  return server;
}

/** Answers a question for A with 192.0.2.7, and any other with no record (RFC 1035 4.1). */
function withOneAddress(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const isA = question.readUInt16BE(end - 4) === 1;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  for (const [at, count] of [
    [4, 1],
    [6, isA ? 1 : 0],
    [8, 0],
    [10, 0],
  ] as const)
    header.writeUInt16BE(count, at);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
  return Buffer.concat([header, question.subarray(12, end), ...(isA ? [record] : [])]);
}

test("the name servers resolve a host, by one question per address family", async (t) => {
  const server = await nameServer(t, withOneAddress);
  const resolve = createResolve({ hostsFile: "/nonexistent", servers: [server.at] });
  assert.deepEqual(await resolve("hooks.example", signal), ["192.0.2.7"]);
  assert.equal(server.asked, 2);
});

test("localhost and the names of the hosts file are answered without a name server", async (t) => {
  const server = await nameServer(t, withOneAddress);
  const folder = await mkdtemp(join(tmpdir(), "muster-hosts-"));
  t.after(() => rm(folder, { recursive: true }));
  const hostsFile = join(folder, "hosts");
  await writeFile(hostsFile, "127.0.0.1 localhost\n10.1.2.3\tHooks.internal alias # alias2\nbad hooks.internal\n");
  const resolve = createResolve({ hostsFile, servers: [server.at] });
  for (const name of ["localhost", "LOCALHOST.", "a.localhost"])
    assert.deepEqual(await resolve(name, signal), ["127.0.0.1", "::1"]);
  assert.deepEqual(await resolve("hooks.INTERNAL", signal), ["10.1.2.3"]);
  assert.deepEqual(hostsEntries("10.1.2.3 alias # alias2", "alias2"), []);
  assert.equal(server.asked, 0);
});

test("a hundred unanswered lookups leave the thread pool free, and end when they are aborted", async (t) => {
  const server = await nameServer(t);
  const resolve = createResolve({ hostsFile: "/nonexistent", servers: [server.at] });
  const abort = new AbortController();
  const waiting = Array.from({ length: 100 }, (_, n) => resolve(`h${n}.example`, abort.signal));
  const ended = Promise.allSettled(waiting);
  while (server.asked < 100) await setImmediate();
  // This work needs the thread pool. If its threads were occupied, it would wait for the lookups.
  await promisify(pbkdf2)("x", "y", 1, 32, "sha256");
  assert.deepEqual(
    new Set(await Promise.all(waiting.map((each) => Promise.race([each, "waiting"])))),
    new Set(["waiting"]),
  );
  abort.abort();
  for (const { status } of await ended) assert.equal(status, "rejected");
});
