import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onPostgres } from "../../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

let server: TestServer;
let tenant: TestTenant;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

/** The embedded database has one process. */
if (onPostgres)
  test("a trace that one node starts records the client at every node, and each shows all of it", async () => {
    const device = await enrollDevice(server, tenant);
    const nodes = [server, await startServer({ share: server })];
    try {
      const there = await connectMqtt(nodes[1]!, device);
      await server.app.connections.startTrace(tenant.caller, device.deviceId);
      // The other node learns of the trace by a notification.
      const learned = await eventually(async () => {
        await there.publishAsync(device.topic, '{"a":1}', { qos: 1 });
        return (await entriesAt(nodes[1]!, tenant, device)).some(({ kind }) => kind === "published");
      });
      assert.equal(learned, true);
      // A node that starts later reads which clients are traced.
      nodes.push(await startServer({ share: server }));
      for (const [at, topic] of [
        [nodes[2]!, "t/later/#"],
        [server, "t/back/#"],
      ] as const) {
        const client = await connectMqtt(at, device);
        await client.subscribeAsync(topic).catch(() => undefined);
        await client.endAsync();
      }
      for (const node of nodes) {
        const shown = await eventually(async () => {
          const entries = (await entriesAt(node, tenant, device)).filter(({ kind }) => kind === "subscribe_refused");
          return entries.length === 2 && entries.map(({ topic }) => topic);
        });
        assert.deepEqual(shown, ["t/back/#", "t/later/#"], "newest first");
      }
    } finally {
      for (const node of nodes.slice(1)) await node.stop();
    }
  });

async function entriesAt({ app }: TestServer, { caller }: TestTenant, { deviceId }: TestDevice) {
  return (await app.connections.readTrace(caller, deviceId)).entries;
}
