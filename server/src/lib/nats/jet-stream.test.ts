import assert from "node:assert/strict";
import { test } from "node:test";
import { JetStream, NotStoredYet } from "./jet-stream.ts";

const answering = (answer: object) =>
  new JetStream({ request: async () => Buffer.from(JSON.stringify(answer)) }, "INGEST");

test("a message that the server received but did not store is not appended, although the server answers as for a duplicate", async () => {
  const append = (answer: object) => answering(answer).append("a", "1", Buffer.alloc(0), 1_000);
  assert.equal(await append({ stream: "INGEST", seq: 7, duplicate: true }), 7);
  await assert.rejects(append({ stream: "INGEST", seq: 0, duplicate: true }), NotStoredYet);
});
