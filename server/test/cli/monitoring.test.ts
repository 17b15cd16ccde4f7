import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sendSubcommand } from "../../src/control/client.ts";
import { startShell, type TestShell } from "../harness/processes/shell.ts";
import type { TestServer } from "../harness/server.ts";

const secrets: string[] = [];
let shell: TestShell;
let server: TestServer;
let { json, muster, refused } = {} as TestShell;

before(async () => {
  shell = await startShell();
  ({ server, json, muster, refused } = shell);
  await json("tenant", "create", "acme", "--name", "Acme");
  for (const email of ["ada@acme.example", "bob@acme.example"])
    await json("user", "create", "--tenant", "acme", "--email", email, "--role", "operator");
});
after(() => shell.stop());

test("a device type's threshold packs and silence limit are set and removed, and a pack runs over stored telemetry", async () => {
  const caller = await server.app.access.systemCaller("acme");
  const hot = { metric: "t", operator: "gt", value: 90, severity: "major" } as const;
  const { id } = await server.app.rules.createThreshold(caller, { name: "Hot", rules: [hot] });
  const create = ["device-type", "create", "--tenant", "acme", "--name", "Watched", "--topic", "x/{deviceId}"];
  const type = await json(...create, "--threshold", id, "--silent-for-seconds", "300");
  assert.deepEqual([type.thresholdIds, type.silentForSeconds], [[id], 300]);
  const same = await json("device-type", "update", type.id, "--name", "Same");
  assert.deepEqual([same.thresholdIds, same.silentForSeconds], [[id], 300]);
  const { stdout } = await muster(["device-type", "update", type.id]);
  assert.match(stdout, /\nThreshold packs: \S+\nAnomaly after silence: 300 s\n$/);
  const none = await json("device-type", "update", type.id, "--no-threshold", "--no-silent-for-seconds");
  assert.deepEqual([none.thresholdIds, none.silentForSeconds], [[], null]);
  const period = ["--from", "2026-11-01T00:00:00Z", "--to", "2026-11-02T00:00:00+01:00"];
  const run = ["threshold", "dry-run", id, "--tenant", "acme", "--type", type.id, ...period];
  assert.deepEqual(await json(...run), { anomalies: [], devices: 0, readings: 0, cut: false });
  const bare = ["threshold", "dry-run", id, "--tenant", "acme"];
  assert.equal((await json("threshold", "dry-run", id, "--type", type.id, ...period)).devices, 0);
  assert.match(await refused(...bare, ...period), /deviceId/);
  assert.match(
    await refused(...bare, "--from", "2026-11-01", "--to", "now"),
    /^muster: from must be a time with its zone, like \S+\.$/m,
  );
});

test("the latest values and the rejected messages of a device are shown with control characters escaped", async () => {
  const { database, telemetry } = server.app;
  const view = async (name: string) => (await muster(["device", name, "seen", "--tenant", "acme"])).stdout;
  await json("device", "create", "--tenant", "acme", "--id", "seen", "--name", "Seen");
  assert.deepEqual([await view("latest"), await view("rejected")], ["No values.\n", "No rejected messages.\n"]);
  const columns = database.db.selectFrom("devices").select(["uid", "tenant_id"]);
  const { uid, tenant_id } = await columns.where("id", "=", "seen").executeTakeFirstOrThrow();
  const device = { tenantId: tenant_id, deviceUid: uid, deviceId: "seen", topic: "t/acme/t/seen" as const };
  for (const payload of ['{"t": 21.5, "state": "ok"}', "\u009b2J{", "x".repeat(500)])
    await telemetry.ingest({ ...device, payload: Buffer.from(payload) });
  const at = server.clock.now().toISOString();
  assert.equal(await view("latest"), `METRIC   VALUE  AT\n"state"  "ok"   ${at}\n"t"      21.5   ${at}\n`);
  const [long, short] = (await view("rejected")).split("\n");
  assert.match(long!, /^\S+ {2}t\/acme\/t\/seen {2}.+: "x{120}…" \(500 bytes\)$/);
  assert.match(short!, /: "\\u009b2J\{"$/);
  const { items } = await json("device", "rejected", "seen", "--tenant", "acme");
  assert.equal(Buffer.from(items[0].payloadBase64, "base64").toString(), "x".repeat(500));
});

test("a threshold pack is shown, changed by a file of its rules, disabled, enabled and deleted", async () => {
  const caller = await server.app.access.systemCaller("acme");
  const hot = { metric: "t", operator: "gt", value: 90, severity: "major" } as const;
  const made = await server.app.rules.createThreshold(caller, { name: "Cold", rules: [hot] });
  const { id } = made;
  const command = async (name: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await sendSubcommand(server.dataDir, `threshold.${name}`, body);
    return answer.ok ? answer.result : answer.problem;
  };
  const { items } = await command("list", { tenant: "acme", q: "cold" });
  assert.deepEqual(items, [JSON.parse(JSON.stringify(made))]);
  const { stdout } = await muster(["threshold", "show", id]);
  assert.match(
    stdout,
    /^Cold \(.+\), enabled, revision 1\nAssigned to 0 devices and 0 device types; 0 unresolved anomalies\.$/m,
  );
  assert.match(stdout, /^[0-9a-f-]{36} {2}major {2}t gt 90, clear at 90$/m);
  const shown = (await command("show", { id })) as { rules: object[] };
  const file = join(server.dataDir, "rules.json");
  await writeFile(file, JSON.stringify({ ...shown, rules: [...shown.rules, { ...hot, operator: "ne", value: "ok" }] }));
  const updated = await json("threshold", "update", id, "--name", "Warm", "--rules", file, "--revision", "1");
  assert.deepEqual([updated.name, updated.revision, updated.rules.length], ["Warm", 2, 2]);
  assert.deepEqual(updated.rules[0], shown.rules[0]);
  const refused = await command("disable", { id, revision: 1 });
  assert.equal(refused.error, "precondition_failed");
  assert.equal((await command("disable", { id, revision: 2 })).enabled, false);
  assert.equal((await command("enable", { id })).enabled, true);
  const wrong = async (rules: unknown) => (await command("update", { id, rules })).message;
  assert.equal(await wrong([{ ...hot, forSeconds: -1 }]), "rules.0.forSeconds must be at least 0.");
  assert.equal(await wrong([{ ...hot, metirc: "t" }]), "Unknown field: rules.0.metirc.");
  assert.equal(await wrong({ name: "no rules" }), "rules must be an array.");
  const none = await muster(["threshold", "update", id, "--rules", join(server.dataDir, "none.json")]);
  assert.match(none.stderr, /none\.json cannot be read: ENOENT$/m);
  assert.deepEqual(await command("delete", { id }), { id });
  assert.equal((await command("show", { id })).error, "not_found");
});

test("a webhook's secret is shown repeatedly, to a caller that gives the webhook's exact address", async () => {
  const target = "https://hooks.acme.example/p?token=1";
  const caller = await server.app.access.systemCaller("acme");
  const channels = [{ type: "webhook" as const, target }];
  const { id } = await server.app.groups.createGroup(caller, { name: "Hooked", channels });
  const show = ["group", "webhook-secret", "--tenant", "acme", "--group", id, "--target"];
  const { secret, disabled } = await json(...show, target);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(await json(...show, target, "--enable"), { secret, disabled });
  assert.equal(disabled, false);
  assert.match(await refused(...show, `${target}1`), /There is no such webhook/);
  secrets.push(secret);
});

test("on-call shows the hours without a recipient, and notification list the sent messages", async () => {
  const caller = await server.app.access.systemCaller("acme");
  const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
  const { id } = await server.app.groups.createGroup(caller, { name: "Watch", escalation });
  const { now, duties, gaps } = await json("group", "on-call", id, "--tenant", "acme");
  assert.deepEqual([now, duties, gaps.length], [[], [], 1]);
  const { id: device } = await json("device", "create", "--tenant", "acme", "--name", "P", "--group", id);
  const { stdout } = await muster(["device", "on-call", device, "--tenant", "acme"]);
  assert.match(
    stdout,
    /^On duty now: no user\nNo shift in the next 7 days\.\nAn anomaly .+ no recipient:\n\S+Z to \S+Z$/m,
  );
  assert.match(await refused("group", "on-call", device, "--tenant", "acme"), /There is no such group/);
  assert.deepEqual(await json("notification", "list", "--tenant", "acme", "--anomaly", id), { items: [] });
  assert.match(await refused("notification", "list", "--tenant", "acme", "--limit", "201"), /limit/);
});

test("a shift is created from e-mail addresses and names of days", async () => {
  const times = ["--time-zone", "Europe/Berlin", "--start", "22:00", "--end", "06:00", "--days", "sun, mon"];
  const people = ["--user", "ada@acme.example", "BOB@acme.example"];
  const create = ["shift", "create", "--tenant", "acme", "--name", "Nights", ...times, ...people];
  const { id, userIds, ...shift } = await json(...create, "--valid-from", "2026-12-01", "--valid-until", "2099-12-31");
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(userIds.length, 2);
  assert.deepEqual([shift.daysOfWeek, shift.validFrom, shift.validUntil], [["mon", "sun"], "2026-12-01", "2099-12-31"]);
  const caller = await server.app.access.systemCaller("acme");
  assert.equal((await server.app.groups.getShift(caller, id)).name, "Nights");
  assert.match(await refused(...create, "unknown@acme.example"), /There is no such user\. \(unknown@acme\.example\)$/);
  const { stdout } = await muster(create);
  assert.match(
    stdout,
    /^Created shift Nights \(.+\)\.\nIt starts at 22:00 Europe\/Berlin on mon, sun and is o(n|ff) duty now\.$/m,
  );
});

test("the log does not contain the webhook's secret", () => {
  assert.equal(secrets.length, 1);
  assert.ok(!server.logs.join("").includes(secrets[0]!));
});

test("a command is sent to a device, listed with its details, and cancelled", async () => {
  const type = ["device-type", "create", "--tenant", "acme", "--name", "Valve", "--topic", "x/{deviceId}"];
  const { id } = await json(...type, "--subscribe", "commands/{deviceId}");
  await json("device", "create", "--tenant", "acme", "--id", "valve", "--name", "Valve", "--type", id);
  const about = ["valve", "--tenant", "acme"];
  const send = (topic: string) => ["device", "send", ...about, "--topic", topic, "--payload", "op\u009ben"];
  const sent = await json(...send("t/acme/commands/valve"), "--expires-in-minutes", "5");
  const list = async () => (await muster(["device", "commands", ...about])).stdout;
  const { createdAt, expiresAt } = sent;
  const [head, line] = (await list()).split("\n");
  assert.match(head!, /^ID +TOPIC +PAYLOAD +SENT +EXPIRES$/);
  assert.equal(line, `${sent.id}  t/acme/commands/valve  "op\\u009ben"  ${createdAt}  ${expiresAt}`);
  assert.match(await refused(...send("t/acme/x/valve")), /t\/acme\/commands\/valve/);
  const { stdout } = await muster([...send("t/acme/commands/valve")]);
  assert.match(stdout, /^Queued command .*\nWARNING: device valve has no certificate, so it cannot connect: /);
  assert.match((await muster(["device", "cancel", "valve", sent.id, "--tenant", "acme"])).stdout, /^Cancelled command/);
  const { items } = await json("device", "commands", ...about);
  await json("device", "cancel", "valve", items[0].id, "--tenant", "acme");
  assert.equal(await list(), "No commands are waiting.\n");
});
