import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import type { CrashFixture } from "../harness/processes/crash.ts";
import type { ServerProcess } from "../harness/processes/process.ts";
import { closed, createFleet, enrollUnits, type Unit } from "./fleet.ts";

const DEVICES = 500;
/** Devices that connect for the first time after the last kill. */
const AWAY = 50;

/** Kills the process while it delivers a command to many devices, some of which take their sessions over. */
export function commandCrashes(given: () => CrashFixture): void {
  let fixture: CrashFixture;
  let units: Unit[];
  let another: ServerProcess | undefined;
  before(async () => {
    fixture = given();
    units = await enrollUnits(fixture, DEVICES);
    another = onPostgres ? await fixture.another() : undefined;
  });
  after(async () => {
    for (const { socket } of units) socket?.destroy();
    await another?.end("SIGTERM");
  });

  test("500 devices, three kills and a takeover by every third device: each gets the command, repetitions have its id, and the states are true at every point", async () => {
    const fleet = createFleet(
      () => fixture.server,
      () => another ?? fixture.server,
    );
    const present = units.slice(AWAY);
    const reached = (count: number) => () => units.filter(({ received }) => received.length > 0).length >= count;
    const restarted = async () => {
      const lost = units.filter(({ socket }) => socket?.remotePort !== another?.mqttPort);
      await Promise.all(lost.map(({ socket }) => socket && closed(socket)));
      await fixture.restart();
    };
    const killWhen = async (condition: () => boolean) => {
      await fleet.until(condition);
      await fixture.server.end("SIGKILL");
    };

    await fleet.connect(present);
    const unanswered = send(fixture, units).catch(() => undefined);
    await killWhen(reached(100));
    await unanswered;
    await restarted();
    const batch = await send(fixture, units);
    assert.deepEqual([batch.status, batch.json.queued, batch.json.refused], [201, DEVICES, 0]);
    await statesAreTrue(fixture, units, batch.json.id);

    await fixture.server.arm("command.acknowledge:kill9");
    await Promise.all([fleet.connect(present), fixture.server.ended]);
    await restarted();
    await statesAreTrue(fixture, units, batch.json.id);

    await Promise.all([fleet.connect(present), killWhen(reached(DEVICES - AWAY))]);
    await restarted();
    const states = await statesAreTrue(fixture, units, batch.json.id);
    assert.deepEqual(
      units.slice(0, AWAY).map(({ device }) => states.get(device.deviceId)?.state),
      Array.from({ length: AWAY }, () => "waiting"),
    );

    await fleet.connect(units);
    await fleet.until(() => units.every(({ isAcknowledged }) => isAcknowledged));
    for (const { device } of units) await nonePending(fixture, device.deviceId);
    const ended = await statesAreTrue(fixture, units, batch.json.id);
    assert.ok([...ended.values()].every(({ state, endedAt }) => state === "acknowledged" && endedAt !== null));
    for (const item of batch.json.items) {
      const { received } = units.find(({ device }) => device.deviceId === item.deviceId)!;
      assert.deepEqual([...new Set(received)], [item.commandId], "a repetition has the id of its command");
    }
    const repetitions = units.reduce((sum, { received }) => sum + received.length - 1, 0);
    assert.ok(repetitions >= DEVICES / 3, `${repetitions} repetitions`);
    await fixture.doctor();
  });
}

/** Sends the command, or asks for the answer to the request that sent it. */
function send(fixture: CrashFixture, units: readonly Unit[]) {
  const deviceIds = units.map(({ device }) => device.deviceId);
  const body = { deviceIds, topic: "t/acme/commands/{deviceId}", payload: "open" };
  return fixture.api("POST", "commands", body, { "idempotency-key": "open-all-valves" });
}

/** Asserts that no state says more, or less, than the device has seen. */
async function statesAreTrue(fixture: CrashFixture, units: readonly Unit[], batchId: string) {
  const states = await statesOf(fixture, batchId);
  assert.equal(states.size, DEVICES);
  for (const { device, received, isAcknowledged } of units) {
    const { state, sentAt } = states.get(device.deviceId)!;
    assert.ok(isAcknowledged || state !== "acknowledged", "acknowledged by nobody");
    assert.ok(received.length === 0 || (state !== "waiting" && sentAt !== null), `received while it is ${state}`);
  }
  return states;
}

async function statesOf(fixture: CrashFixture, batchId: string) {
  const states = new Map<string, { state: string; sentAt: string | null; endedAt: string | null }>();
  for (let cursor = ""; ; ) {
    const { items, next } = await fixture.done("GET", `commands?batchId=${batchId}&limit=200${cursor}`);
    for (const item of items) states.set(item.deviceId, item);
    if (next === undefined) return states;
    cursor = `&cursor=${next}`;
  }
}

/** Waits until a device's acknowledgement is stored. */
async function nonePending(fixture: CrashFixture, id: string): Promise<void> {
  const pending = async () => (await fixture.server.command("device.commands", { tenant: "acme", id })).items.length;
  while ((await pending()) > 0);
}
