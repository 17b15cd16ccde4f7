import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { createLogger } from "../../lib/logger.ts";
import { encodeBatch } from "./batch-format.ts";
import { PartitionReader } from "./partition-reader.ts";

const BATCHES = 40;
const MESSAGES = 1_000;

test("a long backlog is read to its end", async () => {
  const message = { tenantId: "t", deviceUid: "d", deviceId: "d", topic: "t", payload: Buffer.from("{}") };
  const messages = Array.from({ length: MESSAGES }, (_, n) => ({ message, nowMs: n, time: n * 1000 }));
  let stored = 0;
  const reader = new PartitionReader(
    {
      jetStream: {
        next: async (_, sequence) =>
          sequence > BATCHES ? undefined : { sequence, data: encodeBatch({ from: "p", number: sequence, messages }) },
      },
      async replay() {
        await new Promise((resolve) => setImmediate(resolve));
        stored++;
      },
      clock: systemClock,
      logger: createLogger("silent"),
      metrics: { streamStored: { inc() {} }, streamRefused: { inc() {} } } as never,
    },
    { partition: 0, epoch: 1, storedSequence: 0, producers: {}, progress: [] },
  );
  while (reader.state.storedSequence < BATCHES) await new Promise((resolve) => setTimeout(resolve, 5));
  reader.close();
  await reader.idle();
  assert.equal(stored, BATCHES * MESSAGES);
});
