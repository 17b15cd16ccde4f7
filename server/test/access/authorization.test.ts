import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type Caller,
  LEAST_ROLES,
  type Rights,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
} from "../../src/access/access.ts";
import type { Subscription } from "../../src/events/events.ts";
import { isMusterError } from "../../src/lib/errors.ts";
import { rowsNaming } from "../harness/database/rows.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import {
  addRecords,
  addStaff,
  kindsUsed,
  leastCaller,
  NOWHERE,
  type Records,
  type Staff,
} from "./authorization/records.ts";
import { type Row, RULES } from "./authorization/rules.ts";
import { ASKS_PROVIDER, OWN_KEY } from "./authorization/special-cases.ts";

/**
 * Calls every use case of every feature through the facades of a real service as every kind of caller: users of each
 * role, API keys of each scope and of none, the shell, and callers with ids of another tenant.
 */
let server: TestServer;
let ours: Staff;
let theirs: Staff;

before(async () => {
  server = await startServer();
  [ours, theirs] = [await addStaff(server), await addStaff(server)];
});
after(() => server.stop());

interface Bound {
  (caller: Caller, ...args: unknown[]): Promise<unknown>;
  declaration?: object;
}

interface Declared {
  name: string;
  row: Row<unknown[]>;
  run: Bound;
}

function facadeOf(feature: string): Record<string, Bound> {
  return (server.app as unknown as Record<string, Record<string, Bound>>)[feature]!;
}

function declared(): Declared[] {
  return Object.entries(RULES).flatMap(([feature, rows]) =>
    Object.entries(rows as Record<string, Row<unknown[]>>).map(([name, row]) => ({
      name: `${feature}.${name}`,
      row,
      run: facadeOf(feature)[name]!,
    })),
  );
}

const REFUSALS: Record<Rights["kind"], string> = {
  key: "insufficient_scope",
  user: "insufficient_role",
  system: "none: the shell may do everything",
};

/**
 * Creates a key of an owner with this role, for a use case that requires `scope`; following events takes more scopes.
 */
function keyOfOwner(role: Role, scope: Scope): Caller {
  const scopes = scope === "events:read" ? SCOPES : [scope];
  const owner = { userId: userOf(role), role };
  return { ...keyWith(), rights: { kind: "key", keyId: "test", scopes: new Set(scopes), owner } };
}

/** Returns the id of a user of our tenant with this role. */
function userOf(role: Role): string {
  const { rights } = ours.callers[role];
  return rights.kind === "user" ? rights.userId : NOWHERE.user;
}

function keyWith(...scopes: Scope[]): Caller {
  return {
    ...ours.caller,
    actor: "apikey:test",
    rights: { kind: "key", keyId: "test", scopes: new Set(scopes), owner: { userId: userOf("admin"), role: "admin" } },
  };
}

/** Returns whether the row admits the caller, by the table alone. */
function admits([scope, role]: Row<unknown[]>, { rights }: Caller): boolean {
  if (rights.kind === "system") return true;
  if (rights.kind === "key") return scope !== "no key" && rights.scopes.has(scope);
  if (role === "platform") return rights.platform === true;
  if (role === "no user" || rights.role === "admin") return role !== "no user";
  return role === rights.role || (role === "viewer" && rights.role === "operator");
}

/**
 * Returns the outcome of a call without the ids of `asked`: the code and message of a refusal, or the result. Stops a
 * stream.
 */
async function outcome(call: Promise<unknown>, asked: Records): Promise<{ refused?: string; text: string }> {
  const plain = (text: string) => Object.values(asked).reduce((rest, id) => rest.replaceAll(id, "<id>"), text);
  try {
    const result = await call;
    await (result as Partial<Subscription> | undefined)?.stop?.();
    return { text: JSON.stringify(result) ?? "" };
  } catch (error) {
    if (!isMusterError(error)) throw error;
    return { refused: error.code, text: plain(JSON.stringify([error.code, error.message, error.detail, error.extra])) };
  }
}

test("the table names every use case of every facade, with the rule that the use case declares", () => {
  const bound = Object.keys(server.app).flatMap((feature) =>
    Object.entries(facadeOf(feature) ?? {}).flatMap(([name, value]) =>
      typeof value === "function" && value.declaration && "may" in value.declaration
        ? [[`${feature}.${name}`, value.declaration.may]]
        : [],
    ),
  );
  const stated = declared().map(({ name, row: [scope, role] }) => [
    name,
    { ...(scope === "no key" ? {} : { scope }), ...(role === "no user" ? {} : { role }) },
  ]);
  assert.deepEqual(new Map(bound as [string, object][]), new Map(stated as [string, object][]));
});

test("every use case refuses exactly the callers that its rule does not admit, whatever they ask for", async () => {
  const callers: [string, Caller][] = [
    ["the shell", ours.caller],
    ["a key without scopes", keyWith()],
    ...[...ROLES, "platform" as const].map((role): [string, Caller] => [role, leastCaller(ours, role)]),
    ...SCOPES.map((scope): [string, Caller] => [scope, keyWith(scope)]),
  ];
  for (const { name, row, run } of declared()) {
    const others = SCOPES.filter((each) => each !== row[0]);
    for (const [who, caller] of [...callers, ["a key with every other scope", keyWith(...others)] as const]) {
      const { refused } = await outcome(run(caller, ...row[2](NOWHERE)), NOWHERE);
      const isRefused = refused === "insufficient_scope" || refused === "insufficient_role";
      assert.equal(isRefused, !admits(row, caller), `${name} by ${who}: ${refused}`);
      if (isRefused) assert.equal(refused, REFUSALS[caller.rights.kind], `${name} by ${who}`);
    }
  }
});

test("every use case refuses an API key whose owner lacks the role that it requires of users", async () => {
  for (const { name, row, run } of declared()) {
    const [scope, role, args] = row;
    if (scope === "no key" || role === "no user" || role === "platform") continue;
    for (const owner of ROLES) {
      const { refused, text } = await outcome(run(keyOfOwner(owner, scope), ...args(NOWHERE)), NOWHERE);
      const admitted: boolean = ROLES.indexOf(owner) <= ROLES.indexOf(role);
      assert.equal(refused === "insufficient_scope", !admitted, `${name} by a key of ${owner}: ${text}`);
    }
  }
});

test("a scope is effective only for owners who may themselves run a use case with it", () => {
  for (const scope of SCOPES) {
    const roles = declared().flatMap(({ row: [needed, role] }) => (needed === scope ? [role as Role] : []));
    const least = ROLES.findLast((role) => roles.includes(role));
    assert.equal(LEAST_ROLES[scope], least ?? "viewer", scope);
  }
});

test("every use case succeeds with the least rights that its rule admits, and records that the caller sees", async () => {
  for (const { name, row, run } of declared()) {
    if (ASKS_PROVIDER.has(name)) continue;
    const [scope, role, args] = row;
    const key = scope === "no key" ? [] : [keyWith(scope)];
    const user = role === "no user" ? [] : [leastCaller(ours, role)];
    for (const least of [...key, ...user]) {
      const ids = await addRecords(server, ours, kindsUsed(args));
      const caller = OWN_KEY.has(name) ? { ...least, rights: { ...least.rights, keyId: ids.apiKey } as Rights } : least;
      const { refused, text } = await outcome(run(caller, ...args(ids)), ids);
      assert.equal(refused, undefined, `${name} by ${caller.actor}: ${text}`);
    }
  }
});

test("every use case answers another tenant's ids like unknown ones, shows none of them and changes nothing there", async () => {
  const foreign = await addRecords(server, theirs);
  const marks = [theirs.caller.tenantId, ...Object.values(foreign)];
  // The page of the anomaly changed its row when it was attempted.
  await server.app.notifications.runDue();
  // The audit stream waits after its first failure.
  await server.app.notifications.tickAuditStreams();
  await server.app.notifications.auditStreamsIdle();
  const before = await rowsNaming(server.app.database, marks);
  for (const { name, row, run } of declared()) {
    for (const caller of [ours.caller, ours.callers.admin, keyWith(...SCOPES)].filter((each) => admits(row, each))) {
      const what = `${name} by ${caller.actor}`;
      const unknown = await outcome(run(caller, ...row[2](NOWHERE)), NOWHERE);
      const asked = await outcome(run(caller, ...row[2](foreign)), foreign);
      assert.equal(asked.refused, unknown.refused, `${what}: ${asked.text}`);
      if (asked.refused) assert.equal(asked.text, unknown.text, what);
      const hidden = name === "access.listTenants" ? Object.values(foreign) : marks;
      for (const mark of hidden) assert.ok(!asked.text.includes(mark), `${what} shows ${mark}`);
    }
  }
  assert.deepEqual(await rowsNaming(server.app.database, marks), before);
});

/** Kinds of records that a user sees if the user sees their device, and groups, which members see. */
const OF_GROUPS: readonly (keyof Records)[] = [
  "device",
  "certifiedDevice",
  "anomaly",
  "ticket",
  "certificate",
  "group",
  "rosteredGroup",
];

test("every use case answers a user, or a user's key, about invisible groups and devices as about unknown ones, and lists none", async () => {
  const unseen = await addRecords(server, { ...ours, callers: {} });
  const nowhere = { ...unseen, ...Object.fromEntries(OF_GROUPS.map((kind) => [kind, NOWHERE[kind]])) };
  for (const { name, row, run } of declared()) {
    const [, , args] = row;
    const users = [ours.callers.operator, ours.callers.viewer].filter((each) => admits(row, each));
    const [scope] = row;
    const keys =
      scope === "no key" ? [] : users.map(({ rights }) => keyOfOwner((rights as { role: Role }).role, scope));
    for (const caller of [...users, ...keys]) {
      const what = `${name} by ${caller.actor}`;
      const asksForUnseen = kindsUsed(args).some((kind) => OF_GROUPS.some((each) => each === kind));
      const unknown = asksForUnseen ? await outcome(run(caller, ...args(nowhere)), nowhere) : undefined;
      const asked = await outcome(run(caller, ...args(unseen)), unseen);
      if (unknown) assert.equal(asked.refused, unknown.refused, `${what}: ${asked.text}`);
      if (unknown && asked.refused) assert.equal(asked.text, unknown.text, what);
      for (const kind of OF_GROUPS) assert.ok(!asked.text.includes(unseen[kind]), `${what} shows the ${kind}`);
    }
  }
});

test("a non-admin sees their groups, and the shifts of these groups, their own, and those without a group", async () => {
  const { groups, notifications, tickets } = server.app;
  const { caller, callers } = ours;
  const userId = (callers.viewer.rights as { userId: string }).userId;
  const times = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const add = async (name: string, { memberUserIds = [] as string[], userIds = [] as string[] } = {}) => {
    const group = await groups.createGroup(caller, { name, memberUserIds });
    const shift = await groups.createShift(caller, { name, ...times, userIds });
    await groups.assignShift(caller, group.id, shift.id);
    return { group: group.id, shift: shift.id };
  };
  const mine = await add("Bounds mine", { memberUserIds: [userId] });
  const duty = await add("Bounds duty", { userIds: [userId] });
  const other = await add("Bounds other");
  const free = await groups.createShift(caller, { name: "Bounds free", ...times });
  const { viewer, operator, admin } = callers;
  const listed = async (who: Caller, q?: string) => {
    const query = { ...(q === undefined ? {} : { q }), skip: 0, limit: 200 };
    const found = [await groups.listGroups(who, query), await groups.listShifts(who, query)];
    for (const { items, total } of found) assert.equal(items.length, total);
    return found.map(({ items }) => items.flatMap(({ id, name }) => (name.startsWith("Bounds") ? [id] : [])).reverse());
  };
  for (const q of [undefined, "bounds"]) {
    assert.deepEqual(await listed(viewer, q), [[mine.group], [mine.shift, duty.shift, free.id]], q);
    assert.deepEqual(await listed(operator, q), [[], [free.id]], q);
    assert.deepEqual(
      await listed(admin, q),
      [
        [mine.group, duty.group, other.group],
        [mine.shift, duty.shift, other.shift, free.id],
      ],
      q,
    );
  }
  const unknown = { code: "not_found" };
  await assert.rejects(groups.getGroup(viewer, duty.group), unknown);
  await assert.rejects(groups.getShift(viewer, other.shift), unknown);
  await assert.rejects(notifications.onCallOfGroup(viewer, other.group), unknown);
  assert.equal((await groups.getGroup(viewer, mine.group)).id, mine.group);
  assert.equal((await groups.getShift(viewer, duty.shift)).id, duty.shift);
  await assert.rejects(tickets.openTicket(operator, { title: "x", groupId: mine.group }), {
    code: "invalid_request",
    detail: mine.group,
  });
});
