import assert from "node:assert/strict";
import { before, test } from "node:test";
import { confirmChannels } from "../harness/confirm-channels.ts";
import { onPostgres } from "../harness/database/database.ts";
import { connectMqtt } from "../harness/devices.ts";
import type { Sinks } from "../harness/http/sinks.ts";
import type { CrashFixture, Device } from "../harness/processes/crash.ts";

const TO = "plant@acme.example";
const METRICS = ["temperature", "pressure", "vibration"];

/** Kills the process while it pages and sends. */
export function notificationCrashes(given: () => { fixture: CrashFixture; sinks: Sinks }): void {
  let sinks: Sinks;
  let fixture: CrashFixture;
  let device: Device;
  before(async () => {
    ({ fixture, sinks } = given());
    device = await fixture.enroll();
    const group = await fixture.done("POST", "groups", {
      name: "Plant",
      channels: [{ type: "email", target: TO }],
      escalation: [{ afterMinutes: 0, notify: "channels" }],
    });
    await confirmChannels(sinks, fixture.server.ca, group, () => fixture.done("GET", `groups/${group.id}`));
    const rules = METRICS.map((metric) => ({ metric, operator: "gt", value: 90, severity: "critical" }));
    const pack = await fixture.done("POST", "thresholds", { name: "Limits", rules });
    await fixture.done("PUT", `devices/${device.deviceId}`, {
      name: "Pump",
      groupIds: [group.id],
      thresholdIds: [pack.id],
    });
  });
  /**
   * Resolves when the service has recorded the result of every message, which happens after the message has arrived.
   */
  async function recorded(): Promise<void> {
    const list = () => fixture.server.command("notification.list", { tenant: "acme" });
    while ((await list()).items.some(({ state }: { state: string }) => state === "pending"));
  }

  /** Publishes a value over the limit to a process that is killed at the fault point. */
  async function killAt(point: string, metric: string): Promise<void> {
    await recorded();
    await fixture.server.arm(`${point}:kill9`);
    const client = await connectMqtt(fixture.server, device);
    client.on("error", () => undefined);
    client.publish(device.topic, JSON.stringify({ [metric]: 95 }), { qos: 1 }, () => undefined);
    assert.equal(await fixture.server.ended, null);
    client.end(true);
  }

  const mailsAbout = (metric: string) => sinks.mailsTo(TO).filter(({ subject }) => subject.includes(metric));

  test("a process that is killed while it pages has paged once after its restart", async () => {
    await killAt("page.commit", "temperature");
    await fixture.restart();
    await sinks.until(() => mailsAbout("temperature").length > 0);
    assert.equal(mailsAbout("temperature").length, 1);
  });

  if (onPostgres) {
    test("a message in flight when its process was killed is sent again under its id, as soon as the process is reaped", async () => {
      await killAt("deliver.send", "pressure");
      assert.equal(mailsAbout("pressure").length, 0);
      await fixture.outdateHeartbeats();
      await fixture.restart();
      await sinks.until(() => mailsAbout("pressure").length > 0);

      await killAt("deliver.sent", "vibration");
      assert.equal(mailsAbout("vibration").length, 1);
      await fixture.outdateHeartbeats();
      await fixture.restart();
      await sinks.until(() => mailsAbout("vibration").length > 1);
      const [first, second] = mailsAbout("vibration");
      assert.equal(second!.id, first!.id);
      assert.deepEqual(
        METRICS.map((metric) => new Set(mailsAbout(metric).map(({ id }) => id)).size),
        [1, 1, 1],
      );
    });
  }
}
