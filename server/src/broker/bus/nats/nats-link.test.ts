import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeFrame, encodeNumber } from "../frame.ts";
import { FrameSplitter } from "../frame-fields.ts";
import { NatsLink, WaitingBytes } from "./nats-link.ts";

const MAX_BYTES = 1024 * 1024;
const frame = (n: number) => encodeNumber("known", n);

function newLink({ maxBytes = MAX_BYTES, total = new WaitingBytes(10 * MAX_BYTES), maxPayload = MAX_BYTES } = {}) {
  const state = { isConnected: true, sent: [] as Buffer[], messages: 0 };
  const link = new NatsLink({
    from: "me",
    epoch: 1,
    maxBytes,
    total,
    maxPayload: () => maxPayload,
    send(batch, messages) {
      if (!state.isConnected) return false;
      state.sent.push(batch);
      state.messages += messages;
      return true;
    },
    onPending: () => undefined,
  });
  return { link, state };
}

function contentOf(batch: Buffer): { number: number; frames: number[] } {
  const content = { number: 0, frames: [] as number[] };
  new FrameSplitter().feed(batch, (bytes) => {
    const decoded = decodeFrame(bytes, 0);
    if (decoded.type === "batch") content.number = decoded.number;
    else if (decoded.type === "known") content.frames.push(decoded.number);
  });
  return content;
}

test("frames queued in one turn form one batch, and batches are numbered from 1", () => {
  const { link, state } = newLink();
  link.message(frame(1), 1);
  link.control(frame(2));
  link.flush();
  link.message(frame(3), 0);
  link.flush();
  assert.deepEqual(state.sent.map(contentOf), [
    { number: 1, frames: [1, 2] },
    { number: 2, frames: [3] },
  ]);
  assert.equal(state.messages, 2);
});

test("a receiver that accepts each number once gets every frame once and in order, whatever is lost in transit", () => {
  const steps = fc.array(fc.constantFrom("message", "flush", "lose", "acknowledge", "rewind", "break", "connect"), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (given) => {
      const { link, state } = newLink();
      const [queued, got] = [[] as number[], [] as number[]];
      let next = 1;
      const receive = () => {
        for (const { number, frames } of state.sent.splice(0).map(contentOf)) {
          if (number !== next) continue;
          next++;
          got.push(...frames);
        }
      };
      for (const step of given) {
        if (step === "message" && link.message(frame(queued.length), 1)) queued.push(queued.length);
        else if (step === "flush") link.flush();
        else if (step === "lose") state.sent.length = 0;
        else if (step === "acknowledge") {
          receive();
          link.acknowledge(next - 1);
        } else if (step === "rewind") link.rewind();
        else state.isConnected = step === "connect";
      }
      state.isConnected = true;
      link.flush();
      link.rewind();
      receive();
      link.acknowledge(next - 1);
      assert.deepEqual(got, queued);
      assert.ok(link.isIdle);
    }),
  );
});

test("unacknowledged batches are sent again after 2 ticks, then with exponential backoff", () => {
  const { link, state } = newLink();
  link.message(frame(1), 1);
  link.flush();
  const counts = Array.from({ length: 8 }, () => {
    link.tick();
    return state.sent.length;
  });
  assert.deepEqual(counts, [1, 2, 2, 3, 3, 3, 3, 4]);
  assert.equal(state.messages, 1, "counted once");
});

test("waiting bytes are limited per process and in total, half for QoS 0; acknowledgements free them", () => {
  const total = new WaitingBytes(3 * MAX_BYTES);
  const links = Array.from({ length: 5 }, () => newLink({ total }));
  const half = Buffer.alloc(MAX_BYTES / 2 - 100);
  const [first] = links;
  assert.deepEqual([first!.link.message(half, 0), first!.link.message(half, 0)], [true, false]);
  assert.deepEqual([first!.link.message(half, 1), first!.link.message(half, 1)], [true, false]);
  const taken = links.slice(1).map(({ link }) => [link.message(half, 1), link.message(half, 1)]);
  assert.equal(taken.flat().filter(Boolean).length, 4, "6 halves in total");
  first!.link.flush();
  first!.link.acknowledge(9);
  assert.ok(links[4]!.link.message(half, 1));
  links[4]!.link.end();
  assert.ok(links[3]!.link.message(half, 1));
});

test("a message longer than NATS accepts is refused", () => {
  const { link } = newLink({ maxPayload: 1_000 });
  assert.deepEqual([link.message(Buffer.alloc(1_000), 1), link.message(Buffer.alloc(900), 1)], [false, true]);
});
