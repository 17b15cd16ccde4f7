import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type mqtt from "mqtt";
import { closed, connect, connectGateway, type Device, journal, startBroker, type TestBroker } from "../environment.ts";
import type { Place } from "../place.ts";

/** Retained messages: the limits of a tenant, and their removal with their publisher. */
export function retainedRules(place: Place): void {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker(place, { tenantLimits: { retainedMessages: 4, retainedBytes: 2_100 } });
  });
  after(() => broker.stop());

  /** A filter with a retained message. Its message arrives after those of the filters before it. */
  const lastTopic = () => `t/${broker.caller.tenantSlug}/end`;
  let last = 10;

  /**
   * Publishes a marker. A process that sends the marker has read all messages retained before, at any process.
   * @returns the payload
   */
  async function retainLast(): Promise<string> {
    const gateway = await connectGateway(broker, { publish: [lastTopic()] });
    await gateway.publishAsync(lastTopic(), String(++last), { qos: 1, retain: true });
    await gateway.endAsync();
    return String(last);
  }

  async function retain(device: Device, topic: string, payload: string): Promise<void> {
    const client = await connect(broker, device);
    await client.publishAsync(topic, payload, { qos: 1, retain: true });
    await client.endAsync();
  }

  /**
   * Returns the retained messages that a new subscriber of the broker's tenant receives for these filters, as
   * `topic payload`.
   */
  async function retained(filters: string[]): Promise<string[]> {
    const all = [...filters, lastTopic()];
    const gateway = await connectGateway(broker, { subscribe: all });
    const received: string[] = [];
    const next = (isLast: (payload: string) => boolean) =>
      new Promise<void>((resolve) =>
        gateway.on("message", (topic, payload) => {
          if (topic === lastTopic() && isLast(String(payload))) resolve();
        }),
      );
    const expected = await retainLast();
    const isRead = next((payload) => payload === expected);
    await gateway.subscribeAsync(lastTopic(), { qos: 1 });
    await isRead;
    gateway.on("message", (topic, payload, { retain: isRetained }: mqtt.IPublishPacket) => {
      if (topic !== lastTopic() && isRetained) received.push(`${topic} ${payload}`);
    });
    const ended = next(() => true);
    await gateway.subscribeAsync(all, { qos: 1 });
    await ended;
    await gateway.endAsync();
    return received.sort();
  }

  const statusTopic = ({ topic }: Device) => topic.replace("/telemetry/", "/status/");

  test("retained messages are removed with their device, and no others are", async () => {
    const [deleted, kept] = [await broker.enroll(), await broker.enroll()];
    await retain(deleted, deleted.topic, '{"a":1}');
    await retain(kept, kept.topic, '{"b":2}');
    const connected = await connect(broker, deleted);
    assert.deepEqual(
      await retained([deleted.topic, kept.topic]),
      [`${deleted.topic} {"a":1}`, `${kept.topic} {"b":2}`].sort(),
    );
    await broker.enrollment.deleteDevice(broker.caller, deleted.deviceId);
    await closed(connected);
    assert.deepEqual(await retained([deleted.topic, kept.topic]), [`${kept.topic} {"b":2}`]);
    await retain(kept, kept.topic, "");
    assert.deepEqual(await retained([kept.topic]), []);
  });

  test("retained messages are removed with the MQTT client that published them", async () => {
    const topic = `t/${broker.caller.tenantSlug}/gateway`;
    const gateway = await connectGateway(broker, { publish: [topic] });
    const gone = closed(gateway);
    await gateway.publishAsync(topic, '{"g":1}', { qos: 1, retain: true });
    assert.deepEqual(await retained([topic]), [`${topic} {"g":1}`]);
    await broker.connections.deleteMqttClient(broker.caller, gateway.options.clientId!);
    await gone;
    assert.deepEqual(await retained([topic]), []);
  });

  test("a message beyond the tenant's maximum number is delivered but not retained, with a journal entry", async () => {
    const devices = [await broker.enroll(), await broker.enroll()] as const;
    const topics = devices.flatMap((device) => [device.topic, statusTopic(device)]);
    const gateway = await connectGateway(broker, { subscribe: topics });
    await gateway.subscribeAsync(topics);
    const delivered = new Set<string>();
    const all = new Promise<void>((resolve) =>
      gateway.on("message", (topic) => void (delivered.add(topic).size === topics.length && resolve())),
    );
    for (const device of devices) {
      await retain(device, device.topic, '{"a":1}');
      await retain(device, statusTopic(device), '{"a":2}');
    }
    await all;
    assert.deepEqual(
      await retained(topics),
      topics
        .slice(0, 3)
        .map((topic, n) => `${topic} {"a":${1 + (n % 2)}}`)
        .sort(),
    );
    assert.ok((await journal(broker)).includes("retained_quota"));
    await retain(devices[0], topics[0]!, '{"a":3}');
    assert.ok((await retained(topics)).includes(`${topics[0]} {"a":3}`), "a topic that has one may have another");
    await retain(devices[0], topics[0]!, "");
    await retain(devices[1], topics[3]!, '{"a":4}');
    assert.ok((await retained(topics)).includes(`${topics[3]} {"a":4}`), "a removed one makes room");
    for (const device of devices) await broker.enrollment.deleteDevice(broker.caller, device.deviceId);
    await gateway.endAsync();
  });

  test("a message beyond the tenant's maximum bytes is not retained, and the previous one stays", async () => {
    const device = await broker.enroll();
    await retain(device, device.topic, `{"a":"${"x".repeat(900)}"}`);
    await retain(device, statusTopic(device), `{"a":"${"x".repeat(900)}"}`);
    await retain(device, device.topic, `{"a":"${"y".repeat(1_200)}"}`);
    const [first] = await retained([device.topic]);
    assert.match(first ?? "", /x{900}/);
    await broker.enrollment.deleteDevice(broker.caller, device.deviceId);
    assert.deepEqual(await retained([device.topic, statusTopic(device)]), []);
  });
}
