import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type CrashFixture, type Device, startCrashFixture } from "./harness/crash.ts";
import { onPostgres } from "./harness/database.ts";
import { connectMqtt } from "./harness/devices.ts";
import { type Sinks, startSinks } from "./harness/sinks.ts";

const TO = "plant@acme.example";
const METRICS = ["temperature", "pressure", "vibration"];

let sinks: Sinks;
let world: CrashFixture;
let device: Device;
before(async () => {
  sinks = await startSinks();
  world = await startCrashFixture({ env: sinks.env });
  device = await world.enroll();
  const group = await world.done("POST", "groups", {
    name: "Plant",
    channels: [{ type: "email", target: TO }],
    escalation: [{ afterMinutes: 0, notify: "channels" }],
  });
  const rules = METRICS.map((metric) => ({ metric, operator: "gt", value: 90, severity: "critical" }));
  const pack = await world.done("POST", "thresholds", { name: "Limits", rules });
  await world.done("PUT", `devices/${device.deviceId}`, {
    name: "Pump",
    groupIds: [group.id],
    thresholdIds: [pack.id],
  });
});
after(async () => {
  await world.close();
  await sinks.stop();
});

/** The device says that a limit is crossed, to a process that dies of telling it on. */
async function diesAt(point: string, metric: string): Promise<void> {
  await world.server.arm(`${point}:kill9`);
  const client = await connectMqtt(world.server, device);
  client.on("error", () => undefined);
  client.publish(device.topic, JSON.stringify({ [metric]: 95 }), { qos: 1 }, () => undefined);
  assert.equal(await world.server.ended, null);
  client.end(true);
}

const mailsAbout = (metric: string) => sinks.mailsTo(TO).filter(({ subject }) => subject.includes(metric));

test("a process that is killed while it pages somebody has paged them once when it is back", async () => {
  await diesAt("page.commit", "temperature");
  await world.restart();
  await sinks.until(() => mailsAbout("temperature").length > 0);
  assert.equal(mailsAbout("temperature").length, 1);
});

if (onPostgres) {
  test("what a process was sending when it was killed is sent again, under its id, as soon as the process counts as gone", async () => {
    await diesAt("deliver.send", "pressure");
    assert.equal(mailsAbout("pressure").length, 0);
    await world.outdateHeartbeats();
    await world.restart();
    await sinks.until(() => mailsAbout("pressure").length > 0);

    await diesAt("deliver.sent", "vibration");
    assert.equal(mailsAbout("vibration").length, 1);
    await world.outdateHeartbeats();
    await world.restart();
    await sinks.until(() => mailsAbout("vibration").length > 1);
    const [first, second] = mailsAbout("vibration");
    assert.equal(second!.id, first!.id);
    assert.deepEqual(
      METRICS.map((metric) => new Set(mailsAbout(metric).map(({ id }) => id)).size),
      [1, 1, 1],
    );
  });
}
