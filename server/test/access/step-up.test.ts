import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DANGEROUS_OPERATIONS, DANGEROUS_SCOPES, HARMLESS_OPERATIONS } from "../../src/access/access.ts";
import { adminRoutes } from "../../src/api/admin-routes.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { PASSWORD, type SignedIn, signIn } from "../harness/sign-in.ts";
import { addRecords, addStaff, kindsUsed, type Records, type Staff } from "./authorization/records.ts";

/**
 * The operations that ask for password and second factor again: one list, and each operation's behaviour in a session
 * that is not fresh.
 */
let server: TestServer;
let staff: Staff;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  staff = await addStaff(server);
  admin = await signIn(server, staff);
});
after(() => server.stop());

const stepUp = async (user: SignedIn) =>
  assert.equal((await user.call("POST", "/session/step-up", { body: { password: PASSWORD } })).status, 204);

/** Advances the clock so that no session is fresh. */
const age = () => server.clock.advance(10 * MINUTE);

test("the list names every writing operation of the admin app once, and no other", () => {
  const writing = adminRoutes.flatMap(({ method, operationId }) => (method === "GET" ? [] : [operationId]));
  const listed = [...Object.keys(DANGEROUS_OPERATIONS), ...HARMLESS_OPERATIONS];
  assert.deepEqual(listed.sort(), writing.sort());
});

test("a scope is dangerous exactly if the admin app asks again for what it allows, or if only keys have it", () => {
  const dangerous = new Set<string>([
    "webhooks:write",
    "device-certificates:read",
    "group-channels:write",
    "group-members:write",
    "own-key:rotate",
  ]);
  for (const route of adminRoutes) {
    if (route.by !== "user" || !DANGEROUS_OPERATIONS[route.operationId]) continue;
    const { scope } = route.useCase.may;
    if (scope !== undefined) dangerous.add(scope);
  }
  assert.deepEqual(new Set(DANGEROUS_SCOPES), dangerous);
});

interface Trial {
  method: string;
  path: (ids: Records) => string;
  /** Bodies that ask again. */
  dangerous: (ids: Records) => object;
  /** Bodies that do not. */
  harmless: (ids: Records) => object;
}

const HOOK = { type: "webhook", target: "https://hooks.example.com/elsewhere" };
let made = 0;
const fresh = () => `new-${++made}`;

/** For operations that ask again for some bodies only, bodies of each kind. */
const BODIES: Record<string, Trial> = {
  createClaim: {
    method: "POST",
    path: () => "/claims",
    dangerous: () => ({ intendedName: "x", maxUses: 2 }),
    harmless: () => ({ intendedName: "x", maxUses: 1 }),
  },
  createKey: {
    method: "POST",
    path: () => "/keys",
    dangerous: () => ({ name: "x", scopes: ["devices:read", "groups:*"] }),
    harmless: () => ({ name: "x", scopes: ["devices:read", "tickets:*"] }),
  },
  inviteUser: {
    method: "POST",
    path: () => "/invites",
    dangerous: () => ({ email: `${fresh()}@example.com`, role: "admin" }),
    harmless: () => ({ email: `${fresh()}@example.com`, role: "operator" }),
  },
  createGroup: {
    method: "POST",
    path: () => "/groups",
    dangerous: () => ({ name: fresh(), channels: [HOOK] }),
    harmless: () => ({ name: fresh(), channels: [] }),
  },
  updateGroup: {
    method: "PATCH",
    path: ({ group }) => `/groups/${group}`,
    dangerous: () => ({ channels: [HOOK] }),
    harmless: () => ({ name: fresh() }),
  },
  changeDevices: {
    method: "POST",
    path: () => "/devices/bulk",
    dangerous: ({ device }) => ({ ids: [device], act: "revoke_certificates" }),
    harmless: ({ device }) => ({ ids: [device], act: "change", change: { addGroupIds: [] } }),
  },
};

test("each operation that asks again for some bodies has such bodies here", () => {
  const some = Object.entries(DANGEROUS_OPERATIONS).flatMap(([id, { stepUp }]) =>
    typeof stepUp === "function" ? [id] : [],
  );
  assert.deepEqual(some.sort(), Object.keys(BODIES).sort());
});

for (const [operation, { method, path, dangerous, harmless }] of Object.entries(BODIES)) {
  test(`${operation} asks again exactly for dangerous bodies, and continues after the step-up`, async () => {
    const ids = await addRecords(server, staff, [...kindsUsed(path), ...kindsUsed(dangerous)]);
    const send = (body: object) => admin.call(method, path(ids), { body });
    await stepUp(admin);
    age();
    const refused = await send(dangerous(ids));
    assert.deepEqual([refused.status, refused.json.error], [403, "reauthentication_required"]);
    const plain = await send(harmless(ids));
    assert.ok(plain.status < 300, plain.text);
    await stepUp(admin);
    const done = await send(dangerous(ids));
    assert.ok(done.status < 300, done.text);
  });
}

test("a session that is not fresh sends any number of commands to five devices, and needs a step-up for a sixth", async () => {
  const [operator, other] = [await signIn(server, staff, "operator"), await signIn(server, staff, "operator")];
  const seen = { ...staff, callers: { operator: staff.callers.operator } };
  const members = [operator.userId, other.userId];
  const { id: group } = await server.app.groups.createGroup(staff.caller, { name: "Hall", memberUserIds: members });
  const { commandTopic } = await addRecords(server, seen, ["commandTopic"]);
  const [, slug, prefix] = commandTopic.split("/");
  const [{ id: deviceTypeId } = { id: "" }] = await server.app.devices.listDeviceTypes(staff.caller);
  const devices = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const input = { name: "Pump", deviceTypeId, groupIds: [group] };
      return (await server.app.devices.createDevice(staff.caller, input)).id;
    }),
  );
  const command = (user: SignedIn, device: string) =>
    user.call("POST", `/devices/${device}/commands`, {
      body: { topic: `t/${slug}/${prefix}/${device}`, payload: "x" },
    });
  const outcomes = async (user: SignedIn, ids: string[]) =>
    (await Promise.all(ids.map((id) => command(user, id)))).map(({ status, json }) => json?.error ?? status).sort();
  assert.deepEqual(await outcomes(operator, devices.slice(0, 7)), Array(7).fill(201), "fresh");
  await stepUp(operator);
  age();
  assert.deepEqual(
    await outcomes(operator, devices.slice(0, 8)),
    [...Array(5).fill(201), ...Array(3).fill("reauthentication_required")],
    "of eight at once",
  );
  assert.deepEqual((await outcomes(operator, devices)).filter((each) => each === 201).length, 5, "the same five");
  assert.deepEqual(await outcomes(other, devices.slice(8, 10)), [201, 201], "another session has its own");
  await stepUp(operator);
  assert.deepEqual(await outcomes(operator, devices), Array(12).fill(201));
  age();
  assert.deepEqual(await outcomes(operator, devices.slice(0, 2)), [201, 201]);
});
