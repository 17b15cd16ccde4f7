import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createEngine } from "../../src/broker/engine/engine.ts";
import type { BrokerPolicy } from "../../src/broker/policy/policy.ts";
import { eventually } from "../harness/eventually.ts";
import { startBroker, type TestBroker, withEngine } from "./environment.ts";
import { client5, connect5, properties, publish5, subscribe5 } from "./mqtt5.ts";
import { PINGREQ, rawClient } from "./raw-client.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

test("when a tenant has too many queued bytes, its session with most of them ends, and the others continue", async (t) => {
  const own = await withEngine(t, createEngine, broker, {
    limits: { mqttBacklogBytesPerTenant: 100_000, mqttMessagesPerSecond: Infinity, mqttBytesPerSecond: Infinity },
  });
  const paths = ["budget/one", "budget/two"];
  const [one, two] = paths.map((path) => `t/${own.caller.tenantSlug}/${path}`) as [string, string];
  // These clients acknowledge nothing.
  const closed = { properties: properties([0x21, 0, 1]) };
  const [worst, bad, good] = [
    await client5(own, paths, closed),
    await client5(own, paths, closed),
    await client5(own, paths),
  ];
  worst.send(subscribe5(1, one, 1), subscribe5(2, two, 1));
  bad.send(subscribe5(1, two, 1));
  await Promise.all([worst.answers(12), bad.answers(6)]);
  const payload = "x".repeat(9_000);
  for (let id = 1; id <= 8; id++) {
    good.send(publish5(id > 6 ? two : one, payload, 1, id));
    await good.answers(4 * id);
  }
  assert.equal(worst.socket.destroyed, false);
  // The queue has all payloads of `worst` but one, and one of `bad`.
  for (let id = 9; id <= 13; id++) {
    good.send(publish5(two, payload, 1, id));
    await good.answers(4 * id);
  }
  await worst.ended;
  const pong = bad.received().length + 2;
  bad.send(PINGREQ);
  assert.deepEqual((await bad.atLeast(pong)).subarray(-2), Buffer.of(0xd0, 0));
  bad.socket.destroy();
  good.socket.destroy();
});

test("simultaneous CONNECTs are authorized with limited concurrency, and each is answered", async (t) => {
  let [running, most] = [0, 0];
  const gate = Promise.withResolvers<void>();
  const around = (policy: BrokerPolicy): BrokerPolicy => ({
    ...policy,
    async authorizeConnect(request) {
      most = Math.max(most, ++running);
      await gate.promise;
      const decision = await policy.authorizeConnect(request);
      running--;
      return decision;
    },
  });
  const own = await withEngine(t, createEngine, broker, { limits: { mqttConnecting: 5 }, around });
  const devices = await Promise.all(Array.from({ length: 10 }, () => own.enroll()));
  const clients = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const device = n % 5 === 0 ? devices[n / 5]! : undefined;
      const client = await rawClient(own, device);
      client.send(connect5(device?.deviceId ?? `unknown-${n}`));
      if (n % 7 === 1) client.socket.destroy();
      return { client, device, isGone: n % 7 === 1 };
    }),
  );
  assert.ok(await eventually(async () => running === 5));
  gate.resolve();
  for (const { client, device, isGone } of clients) {
    if (isGone) continue;
    const code = (await client.atLeast(4))[3];
    assert.equal(code, device ? 0 : 0x87);
    client.socket.destroy();
  }
  assert.equal(most, 5);
});
