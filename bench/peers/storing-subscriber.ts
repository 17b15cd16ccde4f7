/**
 * The peer of our stored messages: a process that subscribes to everything at QoS 1 and inserts into PostgreSQL before
 * it acknowledges, one statement and one commit per batch. Prints `subscribed` when it is ready.
 *
 *   node storing-subscriber.ts <mqtt port> <database url>
 */
import { connect } from "node:net";
import { generate, type IPublishPacket, parser } from "mqtt-packet";
import pg from "pg";

const MAX_BATCH = 1000;
const [port, url] = [Number(process.argv[2]), process.argv[3]!];
const database = new pg.Client({ connectionString: url });
await database.connect();

const socket = connect(port, "127.0.0.1");
socket.setNoDelay(true);
const incoming = parser();
let waiting: IPublishPacket[] = [];
let storing = false;

incoming.on("packet", (packet) => {
  if (packet.cmd === "connack") {
    const subscriptions = [{ topic: "t/#", qos: 1 as const }];
    socket.write(generate({ cmd: "subscribe", messageId: 1, subscriptions }));
  } else if (packet.cmd === "suback") process.stdout.write("subscribed\n");
  else if (packet.cmd === "publish") {
    waiting.push(packet);
    if (!storing) void storeAll();
  }
});
socket.on("data", (chunk) => incoming.parse(chunk));
socket.on("close", () => process.exit(0));
const about = { protocolId: "MQTT", protocolVersion: 4, clean: true, keepalive: 0 } as const;
socket.write(generate({ cmd: "connect", clientId: "storing-subscriber", ...about }));

async function storeAll(): Promise<void> {
  storing = true;
  while (waiting.length > 0) {
    const batch = waiting.slice(0, MAX_BATCH);
    waiting = waiting.slice(MAX_BATCH);
    await store(batch);
    socket.write(Buffer.concat(batch.map(({ messageId }) => generate({ cmd: "puback", messageId: messageId! }))));
  }
  storing = false;
}

async function store(batch: readonly IPublishPacket[]): Promise<void> {
  const devices: string[] = [];
  const metrics: string[] = [];
  const times: Date[] = [];
  const numbers: number[] = [];
  for (const { topic, payload } of batch) {
    const { ts, values } = JSON.parse(payload.toString()) as { ts: number; values: Record<string, number> };
    for (const [metric, value] of Object.entries(values)) {
      devices.push(topic.slice(topic.lastIndexOf("/") + 1));
      metrics.push(metric);
      times.push(new Date(ts));
      numbers.push(value);
    }
  }
  await database.query({ name: "store", text: INSERT, values: [devices, metrics, times, numbers] });
}

const INSERT = `INSERT INTO peer_telemetry (device_id, metric, ts, number)
  SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::float8[])
  ON CONFLICT (device_id, metric, ts) DO UPDATE SET number = excluded.number`;
