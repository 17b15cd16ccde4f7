import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import type { LiveEvent } from "../../src/live/live.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import type { TestServer } from "../harness/server.ts";
import { collector } from "./collector.ts";

export interface TwoServers {
  server: TestServer;
  second: TestServer;
}

type Values = { deviceId: string; [metric: string]: unknown };

/** Returns the telemetry among events: a device and its values by metric. */
function telemetryIn(events: readonly LiveEvent[]): Values[] {
  return events.flatMap(({ kind, deviceId, data }) => {
    if (kind !== "telemetry.changed") return [];
    return [{ deviceId: deviceId!, ...Object.fromEntries(data.values.map(({ metric, value }) => [metric, value])) }];
  });
}

const others = (events: readonly LiveEvent[]) =>
  events.map(({ kind }) => kind).filter((kind) => kind !== "telemetry.changed");

/**
 * Publishes over MQTT with the device's certificate. Resolves when everything is acknowledged, and therefore stored.
 */
async function publish(server: TestServer, device: TestDevice, ...payloads: Record<string, unknown>[]): Promise<void> {
  const client = await connectMqtt(server, device);
  await Promise.all(payloads.map((each) => client.publishAsync(device.topic, JSON.stringify(each), { qos: 1 })));
  await client.endAsync();
}

/** The stream of events and telemetry that the admin app subscribes to. */
export function liveRules(given: () => TwoServers): void {
  let tenant: TestTenant;
  let device: TestDevice;

  type Options = Parameters<TestServer["app"]["live"]["follow"]>[1];
  async function stream(caller: Caller, options: Options, { app } = given().server) {
    const seen = collector();
    const following = await app.live.follow(caller, options, seen.handler);
    return { ...seen, following };
  }

  test("telemetry stored by another process arrives with the events, once per second, with the latest values", async () => {
    const { server, second } = given();
    tenant = await newTenant(server);
    device = await enrollDevice(server, tenant);
    const { got, until, following } = await stream(tenant.caller, { kinds: ["telemetry.", "ticket."] });
    await publish(second, device, { temperature: 20, pump: "on" }, { temperature: 21 }, { temperature: 22 });
    await second.app.tickets.openTicket(tenant.caller, { title: "Oil it" });
    // A poll between two of the messages reads the values at that time. A value is repeated only when it has changed.
    await until((events) => others(events).length > 0 && telemetryIn(events).at(-1)?.temperature === 22);
    await following.stop();
    assert.deepEqual(others(got), ["ticket.opened"]);
    const changes = telemetryIn(got);
    assert.deepEqual(Object.assign({}, ...changes), { deviceId: device.deviceId, pump: "on", temperature: 22 });
    assert.ok(changes.length <= 3, `${changes.length} changes of three messages`);
    const changed = got.find((event) => event.kind === "telemetry.changed")!;
    assert.deepEqual([changed.at, changed.data.values[0]!.receivedAt], [server.clock.now(), server.clock.now()]);
  });

  test("a stream resumes from any of its cursors at any process: events without a gap, telemetry in its current state", async () => {
    const { server, second } = given();
    const open = (title: string) => second.app.tickets.openTicket(tenant.caller, { title });
    const titles = (events: readonly LiveEvent[]) =>
      events.flatMap(({ kind, data }) => (kind === "ticket.opened" ? [data.title] : []));
    const first = await stream(tenant.caller, { kinds: ["ticket.opened"] });
    for (const title of ["one", "two"]) await open(title);
    await first.until((events) => events.length === 2);
    await first.following.stop();
    await open("three");
    const cursors = [...first.got.map(({ cursor }) => cursor), first.following.cursor];
    for (const [n, after] of cursors.entries()) {
      await publish(second, device, { temperature: 40 + n }, { temperature: 50 + n });
      const again = await stream(tenant.caller, { after, kinds: ["ticket.", "telemetry."] }, second);
      await again.until((events) => telemetryIn(events).length > 0 && titles(events).includes("three"));
      await again.following.stop();
      assert.deepEqual(titles(again.got), n === 0 ? ["two", "three"] : ["three"]);
      const now = telemetryIn(again.got).map(({ deviceId, temperature, pump }) => [deviceId, temperature, pump]);
      assert.deepEqual(now, [[device.deviceId, 50 + n, "on"]]);
      const { cursor } = again.got.find(({ kind }) => kind === "telemetry.changed")!;
      await publish(server, device, { pressure: n });
      const rest = await stream(tenant.caller, { after: cursor, kinds: ["telemetry.changed"] });
      await rest.until((events) => events.length > 0);
      await rest.following.stop();
      assert.equal(telemetryIn(rest.got)[0]!.pressure, n);
    }
  });

  test("a stream is restricted to the tenant, the user's groups and the requested devices, and excludes deleted devices", async () => {
    const { server } = given();
    const { access, devices, enrollment, events, groups } = server.app;
    const start = `${await events.cursorNow()}.0`;
    const other = await newTenant(server);
    const [theirs, seen, unseen, deleted] = await Promise.all([
      enrollDevice(server, other),
      enrollDevice(server, tenant),
      enrollDevice(server, tenant),
      enrollDevice(server, tenant),
    ]);
    await Promise.all([theirs, seen, unseen, deleted].map((each) => publish(server, each, { level: 1 })));
    await enrollment.deleteDevice(tenant.caller, deleted.deviceId);
    const user = await access.createUser(await access.systemCaller(tenant.slug), {
      email: `v@${tenant.slug}.example`,
      role: "viewer",
    });
    const group = await groups.createGroup(tenant.caller, { name: "Theirs", memberUserIds: [user.id] });
    const { name } = await devices.getDevice(tenant.caller, seen.deviceId);
    await devices.replaceDevice(tenant.caller, seen.deviceId, { name, groupIds: [group.id] });
    const rights = { kind: "user", userId: user.id, role: "viewer" } as const;
    const viewer: Caller = { ...tenant.caller, actor: `user:${user.id}`, rights };

    async function streamedTo(caller: Caller, options: { kinds?: string[]; telemetryOf?: string[] }) {
      const { got, until, following } = await stream(caller, { after: start, kinds: ["telemetry."], ...options });
      await until((all) => telemetryIn(all).length > 0 && (!options.kinds || others(all).length > 0));
      await following.stop();
      return got;
    }
    const devicesOf = (all: readonly LiveEvent[]) => [...new Set(all.map(({ deviceId }) => deviceId))].sort();
    assert.deepEqual(devicesOf(await streamedTo(other.caller, {})), [theirs.deviceId]);
    const known = [device, seen, unseen].map(({ deviceId }) => deviceId).sort();
    assert.deepEqual(devicesOf(await streamedTo(tenant.caller, {})), known);
    assert.deepEqual(devicesOf(await streamedTo(viewer, { kinds: ["telemetry.", "certificate."] })), [seen.deviceId]);
    const asked = [unseen, theirs, deleted].map(({ deviceId }) => deviceId);
    assert.deepEqual(devicesOf(await streamedTo(tenant.caller, { telemetryOf: asked })), [unseen.deviceId]);
  });

  test("streams of single devices are read together: each receives its own device, including one that joins later", async () => {
    const { server } = given();
    const [one, two] = await Promise.all([enrollDevice(server, tenant), enrollDevice(server, tenant)]);
    const open = (each: TestDevice) => stream(tenant.caller, { kinds: ["telemetry."], telemetryOf: [each.deviceId] });
    const first = await open(one);
    const same = await open(one);
    await publish(server, one, { level: 1 });
    for (const each of [first, same]) await each.until((events) => events.length === 1);
    await same.following.stop();

    const joined = await open(two);
    await Promise.all([publish(server, one, { level: 2 }), publish(server, two, { level: 3 })]);
    await first.until((events) => telemetryIn(events).at(-1)?.level === 2);
    await joined.until((events) => events.length === 1);
    await first.following.stop();
    await publish(server, two, { level: 4 });
    await joined.until((events) => telemetryIn(events).at(-1)?.level === 4);
    await joined.following.stop();
    const devicesOf = (events: readonly LiveEvent[]) => [...new Set(events.map(({ deviceId }) => deviceId))];
    assert.deepEqual(
      [first, same, joined].map(({ got }) => devicesOf(got)),
      [[one.deviceId], [one.deviceId], [two.deviceId]],
    );
  });

  test("a missing scope, an unknown kind and an invalid cursor are refused, and a failing handler ends the stream", async () => {
    const { live } = given().server.app;
    const key: Caller = {
      ...tenant.caller,
      rights: {
        kind: "key",
        keyId: "k",
        scopes: new Set(["events:read", "devices:read"] as const),
        owner: { userId: "u", role: "admin" },
      },
    };
    const nothing = () => undefined;
    const refused = (caller: Caller, options: Parameters<typeof live.follow>[1], code: string) =>
      assert.rejects(live.follow(caller, options, nothing), { code });
    await refused(key, {}, "insufficient_scope");
    await refused(key, { kinds: ["device.", "ticket."] }, "insufficient_scope");
    await refused(key, { kinds: ["weather."] }, "invalid_request");
    await refused(tenant.caller, { telemetryOf: Array(501).fill(device.deviceId) }, "invalid_request");
    for (const after of ["", "1.0", "1.2.3.4", "a.b.c"]) await refused(tenant.caller, { after }, "invalid_request");
    const lost = await live.follow(tenant.caller, { after: "999999999999.0.0" }, nothing);
    await assert.rejects(lost.ended, { code: "cursor_expired" });
    const after = `${await given().server.app.events.cursorNow()}.0`;
    const full = await live.follow(tenant.caller, { after }, () => Promise.reject(new Error("full")));
    await assert.rejects(full.ended, /full/);
    assert.match(full.cursor, /\.0$/);
  });
}
