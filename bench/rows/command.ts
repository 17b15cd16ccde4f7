import type { TLSSocket } from "node:tls";
import { generate, parser } from "mqtt-packet";
import { expectJson, openHttps } from "../../load/https-client.ts";
import { percentile } from "../../load/measure.ts";
import { closeMqtt, openMqtt } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { createTenant, type Tenant } from "../../load/tenant.ts";
import { atMost, type Figure, figure, note } from "../report.ts";
import { onPostgres } from "../site.ts";

const COMMANDS = 500;
const WARM_UP = 50;
/** Requests of one key. */
const A_KEY = 90;

/** The time from sending a command through the API until a connected device has it; one after the other. */
export async function commandDelivery(): Promise<Figure[]> {
  return await onPostgres(({ serve }) =>
    serve(async (muster) => {
      const tenant = await createTenant(muster, "fleet");
      const delays = (await deliver(muster, tenant)).slice(WARM_UP);
      const spread = `p50 ${percentile(delays, 0.5).toFixed(1)} ms, longest ${Math.max(...delays).toFixed(1)} ms`;
      return [figure("command to a connected device, p99", percentile(delays, 0.99), "ms", atMost(100), note(spread))];
    }),
  );
}

/** @returns the time of each command, in milliseconds */
async function deliver({ shell, https, mqtt }: MusterProcess, tenant: Tenant): Promise<number[]> {
  await shell("device-type.update", { id: tenant.deviceTypeId, subscribeTopics: ["commands/{deviceId}"] });
  const [device] = await tenant.newDevices(1);
  const topic = `t/${tenant.slug}/commands/${device!.deviceId}`;
  const socket = await openMqtt(mqtt, device!);
  const arrival = await subscribe(socket, topic);
  const client = await openHttps(https);
  const body = JSON.stringify({ topic, payload: "open" });
  const delays: number[] = [];
  for (let turn = 0, key = ""; turn < COMMANDS + WARM_UP; turn++) {
    if (turn % A_KEY === 0) key = await tenant.newKey();
    const arrived = arrival();
    const begin = performance.now();
    const path = `/api/v1/devices/${device!.deviceId}/commands`;
    await expectJson(client, 201, "POST", path, body, { "x-api-key": key });
    delays.push((await arrived) - begin);
  }
  client.close();
  await closeMqtt(socket);
  return delays;
}

/** Subscribes and acknowledges. @returns a function that resolves with the time of the next message */
async function subscribe(socket: TLSSocket, topic: string): Promise<() => Promise<number>> {
  const parsed = parser({ protocolVersion: 4 });
  socket.on("data", (bytes: Buffer) => parsed.parse(bytes));
  let arrive: (at: number) => void = () => undefined;
  const subscribed = new Promise<void>((resolve) => {
    parsed.on("packet", (packet) => {
      if (packet.cmd === "suback") resolve();
      if (packet.cmd !== "publish") return;
      arrive(performance.now());
      socket.write(generate({ cmd: "puback", messageId: packet.messageId! }));
    });
  });
  socket.write(generate({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic, qos: 1 }] }));
  await subscribed;
  return () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
}
