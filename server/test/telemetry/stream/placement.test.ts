import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connect } from "@nats-io/transport-node";
import { onPostgres } from "../../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant } from "../../harness/devices.ts";
import { publish, range, streamIs, streamServices } from "../../harness/ingest-stream.ts";
import { jetStreamCluster, natsMissing } from "../../harness/processes/nats-server.ts";
import type { TestServer } from "../../harness/server.ts";

describe("the ingest stream for more NATS servers than have started", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  test("is created once they have started, and the start waits for it", async (t) => {
    const [first, second, third] = await jetStreamCluster();
    const nats = await Promise.all([first!(), second!()]);
    let services: Awaited<ReturnType<typeof streamServices>> | undefined;
    t.after(async () => {
      await services?.stop();
      for (const server of nats) await server.stop();
    });
    const connection = await connect({ servers: nats.map(({ port }) => `127.0.0.1:${port}`) });
    const asked = Promise.withResolvers<void>();
    connection.subscribe("$JS.API.STREAM.CREATE.MUSTER_INGEST", { callback: () => asked.resolve() });
    await connection.flush();
    const starting = streamServices(nats, 1, { MUSTER_NATS_REPLICAS: "3" });
    await Promise.race([asked.promise, starting]);
    nats.push(await third!());
    services = await starting;
    const [server] = services.servers as [TestServer];
    assert.ok(await streamIs(server, true));
    const device = await enrollDevice(server, await newTenant(server));
    const client = await connectMqtt(server, device);
    await publish(client, device, range(0, 5));
    client.end(true);
    const info = (await connection.request("$JS.API.STREAM.INFO.MUSTER_INGEST")).json<{
      config: { num_replicas: number };
    }>();
    await connection.close();
    assert.equal(info.config.num_replicas, 3);
  });
});
