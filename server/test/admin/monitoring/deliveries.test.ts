import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";
import { type NotificationEnvironment, startEnvironment } from "../../notifications/environment.ts";

let environment: NotificationEnvironment;
let tenant: TestTenant;
let admin: SignedIn;
let member: SignedIn;
let group: string;
let anomalyId: string;
let from: string;

before(async () => {
  environment = await startEnvironment();
  const { server, sinks } = environment;
  tenant = await newTenant(server);
  [admin, member] = [await signIn(server, tenant), await signIn(server, tenant, "viewer")];
  const hook = sinks.hookUrl("/deliveries");
  const channels = [{ type: "webhook" as const, target: hook }];
  const escalation = [
    { afterMinutes: 0, notify: "members" as const },
    { afterMinutes: 1, notify: "channels" as const },
  ];
  group = (await environment.groupOnDuty(tenant, { memberUserIds: [member.userId], channels, escalation }, [])).id;
  const others = { name: "Others", memberUserIds: [admin.userId], escalation: [escalation[0]!] };
  const other = await environment.groupOnDuty(tenant, others, []);
  sinks.behave.hook = () => ({ status: 500 });
  from = server.clock.now().toISOString();
  const { open } = await environment.anomalies(tenant, [group, other.id]);
  anomalyId = (await open())[0]!.id;
  await environment.pass(1_000);
  await environment.pass(MINUTE);
});
after(() => environment.stop());

interface Delivery {
  id: string;
  type: string;
  channel: string;
  target: string;
  state: string;
  lastError: string | null;
  attempts: { attempt: number; at: string; error: string | null }[];
}

async function listed(user: SignedIn, query: string): Promise<string[]> {
  const { status, json, text } = await user.call("GET", `/deliveries?${query}`);
  assert.equal(status, 200, text);
  assert.equal(json.total, json.items.length);
  return json.items.map(({ channel, state }: Delivery) => `${channel} ${state}`).toSorted();
}

test("the messages of an anomaly list their recipient, attempts and outcome", async () => {
  const { items } = (await admin.call("GET", `/deliveries?anomalyId=${anomalyId}`)).json as { items: Delivery[] };
  const [sent] = items.filter(({ target }) => target === member.email);
  assert.deepEqual([sent!.type, sent!.state, sent!.lastError], ["anomaly.opened", "sent", null]);
  assert.deepEqual(
    sent!.attempts.map(({ attempt, error }) => [attempt, error]),
    [[1, null]],
  );
  const [failing] = items.filter(({ channel }) => channel === "webhook");
  assert.equal(failing!.state, "pending");
  assert.match(failing!.lastError!, /500/);
  assert.equal(failing!.attempts.at(-1)!.error, failing!.lastError);
});

test("messages are filtered by group, channel, state and time, and exported as a file", async () => {
  for (const [query, expected] of [
    [`groupId=${group}&anomalyId=${anomalyId}`, ["email sent", "webhook pending"]],
    [`anomalyId=${anomalyId}`, ["email sent", "email sent", "webhook pending"]],
    [`anomalyId=${anomalyId}&channel=webhook`, ["webhook pending"]],
    [`anomalyId=${anomalyId}&state=sent`, ["email sent", "email sent"]],
    [`anomalyId=${anomalyId}&notState=sent`, ["webhook pending"]],
    [`from=${from}&anomalyId=${anomalyId}&notState=failed`, ["email sent", "email sent", "webhook pending"]],
    [`to=${from}&anomalyId=${anomalyId}`, []],
    ["groupId=none", []],
    ["anomalyId=none", []],
  ] as const)
    assert.deepEqual(await listed(admin, query), expected, query);
  for (const query of ["state=lost", "channel=fax", "limit=many"])
    assert.equal((await admin.call("GET", `/deliveries?${query}`)).json.error, "invalid_request", query);
  const file = await admin.call("GET", `/deliveries?as=csv&anomalyId=${anomalyId}&channel=email`);
  assert.equal(file.text.split("\r\n").length, 4);
  const { json } = await admin.call("GET", `/deliveries?limit=1&anomalyId=${anomalyId}`);
  assert.deepEqual([json.total, json.items.length, json.limit], [3, 1, 1]);
});

test("a non-admin sees the messages of their groups; users of another tenant see none", async () => {
  assert.deepEqual(await listed(member, `anomalyId=${anomalyId}`), ["email sent", "webhook pending"]);
  const { server } = environment;
  const outsider = await signIn(server, await newTenant(server));
  assert.deepEqual(await listed(outsider, `anomalyId=${anomalyId}`), []);
  assert.deepEqual(await listed(outsider, ""), []);
});
