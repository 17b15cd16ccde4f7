import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPermissiveBroker } from "../permissive/permissive-broker.ts";
import { connectVectors } from "../vectors/connect-vectors.ts";
import { echoVectors, flowVectors, repeatedVector } from "../vectors/flow-vectors.ts";
import { ackVectors, headerVectors, publishVectors } from "../vectors/packet-vectors.ts";
import { propertyVectors } from "../vectors/property-vectors.ts";
import { disconnectVectors, subscriptionVectors } from "../vectors/request-vectors.ts";
import { runVector } from "../vectors/run-vector.ts";
import type { Vector } from "../vectors/vector.ts";

const AT_ONCE = 50;

const broker = createPermissiveBroker(0);
let port: number;

before(async () => {
  ({ port } = await broker.start());
});
after(() => broker.stop());

/** Returns how the broker's answers differ from the vectors. */
async function differencesIn(vectors: readonly Vector[]): Promise<string[]> {
  const differences: string[] = [];
  for (let at = 0; at < vectors.length; at += AT_ONCE) {
    const some = vectors.slice(at, at + AT_ONCE);
    const found = await Promise.all(some.map((vector, index) => runVector(port, vector, `vector-${at + index}`)));
    differences.push(...found.filter((difference) => difference !== undefined));
  }
  return differences;
}

const OLDER = [3, 4] as const;
const SETS: readonly [name: string, least: number, vectors: () => Vector[]][] = [
  ["the headers of MQTT 3.1 and 3.1.1", 206, () => OLDER.flatMap(headerVectors)],
  ["the headers of MQTT 5", 103, () => headerVectors(5)],
  ["every CONNECT", 115, () => ([3, 4, 5] as const).flatMap(connectVectors)],
  ["every message", 69, () => ([3, 4, 5] as const).flatMap(publishVectors)],
  ["every acknowledgement", 92, () => ([3, 4, 5] as const).flatMap(ackVectors)],
  ["every SUBSCRIBE and UNSUBSCRIBE", 161, () => ([3, 4, 5] as const).flatMap(subscriptionVectors)],
  ["every DISCONNECT", 54, () => ([3, 4, 5] as const).flatMap(disconnectVectors)],
  ["every property in every packet of MQTT 5", 1_506, propertyVectors],
  [
    "the flow of messages to a client",
    36,
    () => [...([3, 4, 5] as const).flatMap(flowVectors), ...echoVectors(), repeatedVector()],
  ],
];

for (const [name, least, vectorsOf] of SETS) {
  test(`${name}: the answers match MQTT byte for byte`, async (t) => {
    const vectors = vectorsOf();
    assert.deepEqual(await differencesIn(vectors), []);
    assert.ok(vectors.length >= least, `${vectors.length} vectors`);
    t.diagnostic(`${vectors.length} vectors`);
  });
}
