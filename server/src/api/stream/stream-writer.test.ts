import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type StreamPace, StreamWriter } from "./stream-writer.ts";

/** Opens a stream from a server to a client that does not read until it is asked to. */
async function stream(t: TestContext, pace: StreamPace) {
  const opened = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    opened.resolve(response);
  }).listen(0);
  const { port } = server.address() as AddressInfo;
  const answered = Promise.withResolvers<IncomingMessage>();
  const call = get({ port }, answered.resolve);
  t.after(() => {
    call.destroy();
    server.close();
  });
  const client = await answered.promise;
  client.on("error", () => undefined);
  return { client, writer: new StreamWriter(await opened.promise, pace) };
}

const large = { data: { text: "x".repeat(4 * 1024 * 1024) } };

test("a message is written with its event, its id and its data", async (t) => {
  const { client, writer } = await stream(t, {});
  await writer.write([
    { event: "ready", id: "1.0", data: {} },
    { id: "2.0", data: { text: "two\nlines" } },
  ]);
  writer.end("stopping");
  const text = (await client.toArray()).join("");
  assert.equal(
    text,
    'event: ready\nid: 1.0\ndata: {}\n\nid: 2.0\ndata: {"text":"two\\nlines"}\n\nevent: end\ndata: {"reason":"stopping"}\n\n',
  );
  await writer.closed;
});

test("a quiet stream gets comments", async (t) => {
  const { client } = await stream(t, { commentMs: 1 });
  const [chunk] = await client.take(1).toArray();
  assert.equal(String(chunk), ":\n\n");
});

test("a client that leaves too much unread is closed", async (t) => {
  const { writer } = await stream(t, { mostUnsent: 1024 });
  await writer.write([large]);
  await writer.closed;
});

test("a client that reads nothing for too long is closed, and later messages are dropped", async (t) => {
  const { writer } = await stream(t, { mostUnsent: Number.POSITIVE_INFINITY, drainMs: 1 });
  await writer.write([large]);
  await writer.closed;
  await writer.write([large]);
  writer.end("stopping");
});

test("a stream to a client that has gone already is closed", async () => {
  const opened = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => opened.resolve(response)).listen(0);
  const call = get({ port: (server.address() as AddressInfo).port }).on("error", () => undefined);
  const response = await opened.promise;
  call.destroy();
  await once(response, "close");
  const writer = new StreamWriter(response);
  await writer.closed;
  await writer.write([large]);
  server.close();
});

test("writing waits until the client has read", async (t) => {
  const { client, writer } = await stream(t, { mostUnsent: Number.POSITIVE_INFINITY, drainMs: 60_000 });
  let isWritten = false;
  const written = writer.write([large]).then(() => {
    isWritten = true;
  });
  await new Promise(setImmediate);
  assert.equal(isWritten, false);
  client.resume();
  await written;
  writer.end("stopping");
  await writer.closed;
});
