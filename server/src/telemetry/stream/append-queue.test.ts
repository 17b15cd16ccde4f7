import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { stream } from "../../lib/limits/stream.ts";
import { AppendQueue } from "./append-queue.ts";
import { encodeBatch } from "./batch-format.ts";

const UUID = "01890000-0000-7000-8000-0000000000aa";

function appending(tenant: number, payloadBytes: number, topicBytes: number) {
  const tenantId = UUID.slice(0, -1) + tenant;
  const message = { tenantId, deviceUid: UUID, deviceId: "d".repeat(64), topic: '"'.repeat(topicBytes) };
  const payload = Buffer.alloc(payloadBytes);
  return {
    message: { ...message, payload },
    nowMs: 1_800_000_000_000,
    time: 1_800_000_000_000_000,
    resolve() {},
    reject() {},
  };
}

test("no batch exceeds the size that NATS must accept, whatever tenants send, and all messages are taken", () => {
  const sizes = fc.oneof(fc.constantFrom(0, 10, 15_000, 130_000, 261_000), fc.nat(2_000));
  const sent = fc.array(fc.tuple(fc.nat(9), sizes, fc.constantFrom(20, 256)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sent, (messages) => {
      const queue = new AppendQueue();
      for (const each of messages) queue.add(appending(...each));
      let taken = 0;
      while (!queue.isEmpty) {
        const batch = queue.take();
        taken += batch.length;
        assert.ok(batch.length > 0);
        const { length } = encodeBatch({ from: "0".repeat(12), number: 1, messages: batch });
        const most = batch.length === 1 ? batch[0]!.message.payload.length + 1_000 : stream.bytesPerAppend.value + 200;
        assert.ok(length <= most, `${batch.length} messages are ${length} bytes`);
      }
      assert.equal(taken, messages.length);
    }),
  );
  assert.ok(stream.bytesPerAppend.value + 200 < DEFAULT_LIMITS.mqttPacketBytes);
});
