import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Properties } from "../codec/property-table.ts";
import { Message, type Qos } from "../message.ts";
import { DIRECT } from "./bus.ts";
import {
  BUS_VERSION,
  decodeFrame,
  encodeAck,
  encodeBatchHead,
  encodeBye,
  encodeFlushed,
  encodeHello,
  encodeInterest,
  encodeNumber,
  encodePublish,
  encodeRelease,
  encodeServe,
  encodeShared,
} from "./frame.ts";
import { FrameSplitter } from "./frame-fields.ts";

const NOW = 10_000;
const text = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" });
const properties: fc.Arbitrary<Properties> = fc.record(
  {
    payloadFormat: fc.constantFrom(0, 1),
    messageExpiry: fc.nat({ max: 0xffff_ffff }),
    contentType: text,
    responseTopic: fc.constantFrom("t/acme/answers", "ä/ö"),
    correlationData: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    userProperties: fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const message = fc
  .tuple(text, fc.uint8Array({ maxLength: 200 }), fc.constantFrom<Qos>(0, 1, 2), fc.option(properties))
  .map(([topic, payload, qos, given]) => new Message(topic, Buffer.from(payload), qos, given ?? undefined, NOW));
const published = fc.record({ tenantId: text, message, retain: fc.boolean() });

const route = fc
  .record({
    stored: fc.uniqueArray(text),
    served: fc.uniqueArray(fc.tuple(text, text, fc.boolean()), { selector: ([owner]) => owner }),
  })
  .map(({ stored, served }) => ({
    storedFor: new Set(stored),
    servedBy: new Map(served.map(([owner, name]) => [owner, name])),
    unread: new Set(served.flatMap(([owner, , isUnread]) => (isUnread ? [owner] : []))),
  }));

const decoded = (frame: Buffer) => decodeFrame(frame.subarray(4), NOW);

function contentOf({ topic, payload, qos }: Message, properties: Properties | undefined) {
  const isNone = properties === undefined || Object.keys(properties).length === 0;
  return { topic, payload: payload.toString("hex"), qos, properties: isNone ? undefined : properties };
}

test("a message arrives at another process as it was sent, with its MQTT 5 properties", () => {
  fc.assert(
    fc.property(published, route, (sent, sentRoute) => {
      const got = decoded(encodePublish({ ...sent, route: sentRoute }, NOW));
      assert.ok(got.type === "publish");
      assert.deepEqual([got.tenantId, got.retain, got.route], [sent.tenantId, sent.retain, sentRoute]);
      const [received, original] = [got.message, sent.message].map((each) => contentOf(each, each.propertiesAt(NOW)));
      assert.deepEqual(received, original);
    }),
  );
});

test("a message for a group arrives with the group and the number of its hops", () => {
  fc.assert(
    fc.property(published, text, fc.nat({ max: 255 }), (sent, group, hops) => {
      const got = decoded(encodeShared({ ...sent, group, hops }, NOW));
      assert.ok(got.type === "shared");
      assert.deepEqual([got.tenantId, got.retain, got.group, got.hops], [sent.tenantId, sent.retain, group, hops]);
      const [received, original] = [got.message, sent.message].map((each) => contentOf(each, each.propertiesAt(NOW)));
      assert.deepEqual(received, original);
    }),
  );
});

test("a message's waiting time is subtracted from its expiry, whatever the other process's clock shows", () => {
  const sent = new Message("t", Buffer.from("x"), 1, { messageExpiry: 60 }, NOW);
  const frame = encodePublish({ tenantId: "t", message: sent, retain: false, route: DIRECT }, NOW + 20_000);
  const got = decodeFrame(frame.subarray(4), 500);
  assert.ok(got.type === "publish");
  assert.equal(got.message.propertiesAt(5_500)?.messageExpiry, 35);
});

test("interest and its acknowledgement arrive as they were sent", () => {
  fc.assert(
    fc.property(text, text, fc.nat({ max: 0xffff_ffff }), fc.boolean(), (tenantId, filter, number, isOn) => {
      const got = decoded(encodeInterest(number, tenantId, filter, isOn));
      assert.deepEqual(got, { type: "interest", number, tenantId, filter, isOn });
      assert.deepEqual(decoded(encodeNumber("known", number)), { type: "known", number });
      assert.deepEqual(decoded(encodeNumber("all", number)), { type: "all", number });
    }),
  );
  assert.deepEqual(decoded(encodeHello("0123abcd")), { type: "hello", version: BUS_VERSION, name: "0123abcd" });
});

test("the process that serves a stored session is announced, and its release includes the session as stored", () => {
  const session = {
    ownerId: "one",
    tenantId: "acme",
    subscriptions: [{ filter: "t/ä/#", qos: 1 }],
    expiresAt: new Date(NOW),
  };
  assert.deepEqual(decoded(encodeServe(7, "one")), { type: "serve", number: 7, ownerId: "one" });
  assert.deepEqual(decoded(encodeFlushed("one")), { type: "flushed", ownerId: "one" });
  for (const each of [session, undefined]) {
    assert.deepEqual(decoded(encodeRelease(8, "one", each)), {
      type: "release",
      number: 8,
      ownerId: "one",
      session: each,
    });
  }
});

test("the frames do not depend on how the bytes are split into chunks", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 10 }), fc.array(fc.integer({ min: 1, max: 30 })), (names, sizes) => {
      const bytes = Buffer.concat(names.map(encodeHello));
      const [splitter, got] = [new FrameSplitter(), [] as string[]];
      const onFrame = (frame: Buffer) => {
        const hello = decodeFrame(frame, NOW);
        if (hello.type === "hello") got.push(hello.name);
      };
      let at = 0;
      for (const size of sizes) {
        splitter.feed(bytes.subarray(at, at + size), onFrame);
        at += size;
      }
      splitter.feed(bytes.subarray(at), onFrame);
      assert.deepEqual(got, names);
    }),
  );
});

test("bytes that are not a frame throw without side effects", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      try {
        decodeFrame(Buffer.from(bytes), NOW);
      } catch (error) {
        assert.ok(error instanceof Error && !(error instanceof TypeError), String(error));
      }
    }),
  );
  assert.throws(() => new FrameSplitter().feed(Buffer.alloc(8, 0xff), () => undefined), /a frame of/);
});

test("the number of a batch, its acknowledgement and a farewell arrive as they were sent", () => {
  const numbered = fc.record(
    { from: text, epoch: fc.nat({ max: 0xffff_ffff }), number: fc.nat({ max: 2 ** 48 - 1 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(numbered, fc.boolean(), (number, isGap) => {
      assert.deepEqual(decoded(encodeBatchHead(number)), { type: "batch", ...number });
      assert.deepEqual(decoded(encodeAck(number, isGap)), { type: "ack", ...number, isGap });
      assert.deepEqual(decoded(encodeBye(number.from)), { type: "bye", name: number.from });
    }),
  );
});
