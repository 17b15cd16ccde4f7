import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createStreamParser, type StreamMessage } from "./event-stream.ts";

const STREAM = [
  ": comment\n\n",
  "event: ready\nid: 7.1\ndata: {}\n\n",
  'id: 7.2\r\ndata: {"kind":\r\ndata: "device.connected"}\r\n\r\n',
  "data: without a new id\n\n",
  "event: ignored without data\n\n",
].join("");

function read(chunks: readonly string[]): StreamMessage[] {
  const messages: StreamMessage[] = [];
  const parse = createStreamParser((message) => void messages.push(message));
  for (const chunk of chunks) parse(chunk);
  return messages;
}

test("messages have their event, their lines and the last id", () => {
  assert.deepEqual(read([STREAM]), [
    { event: "ready", data: "{}", id: "7.1" },
    { event: "message", data: '{"kind":\n"device.connected"}', id: "7.2" },
    { event: "message", data: "without a new id", id: "7.2" },
  ]);
});

test("a stream is read alike however the network divides it", () => {
  const whole = read([STREAM]);
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 8 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
      const chunks = at.slice(1).map((end, index) => STREAM.slice(at[index], end));
      assert.deepEqual(read(chunks), whole);
    }),
  );
});
