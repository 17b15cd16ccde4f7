import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { onPostgres } from "../../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { publish, range, storedUpTo, streamIs, streamServices } from "../../harness/ingest-stream.ts";
import { natsMissing, startJetStream } from "../../harness/processes/nats-server.ts";
import type { TestServer } from "../../harness/server.ts";

describe("an ingest stream that one tenant floods", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  test("has room for another tenant's messages, and finally all messages of both are stored", async (t) => {
    const nats = await startJetStream();
    const services = await streamServices([nats], 1, { MUSTER_NATS_STREAM_BYTES: String(2 * 1024 ** 2) });
    t.after(async () => {
      await services.stop();
      await nats.stop();
    });
    const [server] = services.servers as [TestServer];
    const [loud, quiet] = await Promise.all(
      ["loud", "quiet"].map(async (slug) => {
        const device = await enrollDevice(server, await newTenant(server, slug));
        return { device, client: await connectMqtt(server, device), acknowledged: 0 };
      }),
    );
    services.proxy.vanish();
    await publish(quiet!.client, quiet!.device, [0]);
    const long = (n: number) => `{"n":${n}}${" ".repeat(30_000)}`;
    const send = async (n: number) => {
      await loud!.client.publishAsync(loud!.device.topic, long(n), { qos: 1 });
      loud!.acknowledged++;
    };
    const flood = (async () => {
      for (const n of range(0, 20)) await Promise.all(range(6 * n, 6 * (n + 1)).map(send));
    })();
    // The flooding tenant waits once its acknowledgements stop, while the other's continue.
    let before = -1;
    assert.ok(
      await eventually(async () => {
        const isWaiting = before === loud!.acknowledged && before > 20;
        before = loud!.acknowledged;
        await pause(2_500);
        return isWaiting;
      }),
    );
    for (const n of range(1, 30)) await publish(quiet!.client, quiet!.device, [n]);
    assert.equal(loud!.acknowledged, before);
    assert.ok(await streamIs(server, true));
    services.proxy.heal();
    await flood;
    assert.deepEqual((await storedUpTo(services.url, loud!.device, 119))!.numbers, range(0, 120));
    assert.deepEqual((await storedUpTo(services.url, quiet!.device, 29))!.numbers, range(0, 30));
    for (const { client } of [loud!, quiet!]) client.end(true);
  });
});
