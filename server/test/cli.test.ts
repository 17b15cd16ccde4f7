import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createProgram } from "../src/cli/program.ts";
import { sendCommand } from "../src/control/client.ts";
import { socketPath } from "../src/control/socket-path.ts";
import { runRaw } from "../src/db/database.ts";
import { type CommandLine, musterProcess, type Ran, startCommandLine } from "./harness/command-line.ts";
import { https } from "./harness/https.ts";
import { startServer, type TestServer } from "./harness/server.ts";

const secrets: string[] = [];
let server: TestServer;
let commandLine: CommandLine;

before(async () => {
  [server, commandLine] = await Promise.all([startServer(), startCommandLine()]);
});
after(async () => {
  await commandLine.stop();
  await server.stop();
});

/** Runs the real command line against the test's data folder. */
function muster(args: string[], dataDir = server.dataDir): Promise<Ran> {
  return commandLine.run(args, dataDir);
}

/** The one JSON object that a command prints. */
async function json(...args: string[]) {
  const { stdout, stderr, code } = await muster([...args, "--json"]);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

async function refused(...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await muster(args);
  assert.deepEqual({ stdout, code }, { stdout: "", code: 1 });
  return stderr.trim();
}

test("from nothing to a device that can enroll, as interfaces.md writes the commands", async () => {
  assert.equal((await json("tenant", "create", "acme", "--name", "Acme")).slug, "acme");
  assert.equal((await json("tenant", "set-retention", "acme", "--days", "30")).days, 30);
  const email = "ada@acme.example";
  const user = await json("user", "create", "--tenant", "acme", "--email", email, "--role", "admin");
  assert.deepEqual(Object.keys(user).sort(), ["email", "id", "password"]);
  const scopes = ["--scope", "devices:*", "--scope", "provisioning:write"];
  const named = ["--name", "automation", "--expires-in-days", "30"];
  const key = await json("key", "create", "--tenant", "acme", "--user", email, ...named, ...scopes);
  assert.equal((await server.app.access.admitRequest(key.key, "::1")).caller.actor, `apikey:${key.id}`);

  const topics = ["--topic", "telemetry/{deviceId}", "--topic", "state/{deviceId}"];
  const type = await json("device-type", "create", "--tenant", "acme", "--name", "Pump", ...topics);
  assert.deepEqual(type.publishTopics, ["telemetry/{deviceId}", "state/{deviceId}"]);
  const updated = await json("device-type", "update", type.id, "--topic", "t/{deviceId}");
  assert.deepEqual(updated.publishTopics, ["t/{deviceId}"]);

  const device = ["device", "create", "--tenant", "acme", "--id", "pump-1", "--type", type.id, "--name", "Pump 1"];
  assert.equal((await json(...device)).id, "pump-1");
  assert.deepEqual(await json("device", "delete", "--tenant", "acme", "pump-1"), { id: "pump-1" });

  const claim = await json(
    "claim",
    "create",
    "--tenant",
    "acme",
    "--name",
    "Line 1",
    "--type",
    type.id,
    "--max-uses",
    "3",
  );
  assert.match(claim.claimCode, /^CLAIM-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  assert.equal(Date.parse(claim.expiresAt), server.clock.now().getTime() + 3_600_000);
  assert.equal(claim.server, server.httpUrl);

  const gateway = [
    "--client-id",
    "gateway",
    "--username",
    "gateway",
    "--publish",
    "t/acme/gateway",
    "--subscribe",
    "t/acme/#",
  ];
  const client = await json("mqtt-client", "create", "--tenant", "acme", ...gateway);
  secrets.push(user.password, key.key, claim.claimCode, client.password);
  for (const secret of secrets) assert.ok(typeof secret === "string" && secret.length >= 16);
});

test("packs and silence of a device type come and go, and a pack is tried on what is stored", async () => {
  const caller = await server.app.access.systemCaller("acme");
  const hot = { metric: "t", operator: "gt", value: 90, severity: "major" } as const;
  const { id } = await server.app.rules.createThreshold(caller, { name: "Hot", rules: [hot] });
  const create = ["device-type", "create", "--tenant", "acme", "--name", "Watched", "--topic", "x/{deviceId}"];
  const type = await json(...create, "--threshold", id, "--silent-for-seconds", "300");
  assert.deepEqual([type.thresholdIds, type.silentForSeconds], [[id], 300]);
  const same = await json("device-type", "update", type.id, "--name", "Same");
  assert.deepEqual([same.thresholdIds, same.silentForSeconds], [[id], 300]);
  const { stdout } = await muster(["device-type", "update", type.id]);
  assert.match(stdout, /\nIt is watched by the threshold packs .+\.\nSilent for longer than 300 s is an anomaly\.\n$/);
  const none = await json("device-type", "update", type.id, "--no-threshold", "--no-silent-for-seconds");
  assert.deepEqual([none.thresholdIds, none.silentForSeconds], [[], null]);
  const period = ["--from", "2026-11-01T00:00:00Z", "--to", "2026-11-02T00:00:00+01:00"];
  const run = ["threshold", "dry-run", id, "--tenant", "acme", "--type", type.id, ...period];
  assert.deepEqual(await json(...run), { anomalies: [], devices: 0, readings: 0, cut: false });
  const bare = ["threshold", "dry-run", id, "--tenant", "acme"];
  assert.equal((await json("threshold", "dry-run", id, "--type", type.id, ...period)).devices, 0);
  assert.match(await refused(...bare, ...period), /deviceId/);
  assert.match(await refused(...bare, "--from", "2026-11-01", "--to", "now"), /^muster: from must be a time like \S+,/);
});

test("what a device sent last is shown, and what of it could not be read, harmless to the terminal", async () => {
  const { database, telemetry } = server.app;
  const view = async (name: string) => (await muster(["device", name, "seen", "--tenant", "acme"])).stdout;
  await json("device", "create", "--tenant", "acme", "--id", "seen", "--name", "Seen");
  assert.deepEqual(
    [await view("latest"), await view("rejected")],
    ["There are no values.\n", "No message was rejected.\n"],
  );
  const [row] = await runRaw<{ uid: string; tenant_id: string }>(
    database.db,
    "SELECT uid, tenant_id FROM devices WHERE id = 'seen'",
    [],
  );
  const device = { tenantId: row!.tenant_id, deviceUid: row!.uid, deviceId: "seen", topic: "t/acme/t/seen" as const };
  for (const payload of ['{"t": 21.5, "state": "ok"}', "\u009b2J{", "x".repeat(500)])
    await telemetry.ingest({ ...device, payload: Buffer.from(payload) });
  const at = server.clock.now().toISOString();
  assert.equal(await view("latest"), `"state"  "ok"  ${at}\n"t"      21.5  ${at}\n`);
  const [long, short] = (await view("rejected")).split("\n");
  assert.match(long!, /^\S+ {2}t\/acme\/t\/seen {2}.+: "x{120}…"$/);
  assert.match(short!, /: "\\u009b2J\{"$/);
  const { items } = await json("device", "rejected", "seen", "--tenant", "acme");
  assert.equal(Buffer.from(items[0].payloadBase64, "base64").toString(), "x".repeat(500));
  // No certificate of the device lists that topic, which the doctor would find.
  await runRaw(database.db, "DELETE FROM rejected_messages", []);
});

test("a threshold pack is shown, changed by a file of its rules, switched off and on, and deleted", async () => {
  const caller = await server.app.access.systemCaller("acme");
  const hot = { metric: "t", operator: "gt", value: 90, severity: "major" } as const;
  const made = await server.app.rules.createThreshold(caller, { name: "Cold", rules: [hot] });
  const { id } = made;
  const command = async (name: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await sendCommand(server.dataDir, `threshold.${name}`, body);
    return answer.ok ? answer.result : answer.problem;
  };
  const { items } = await command("list", { tenant: "acme", q: "cold" });
  assert.deepEqual(items, [JSON.parse(JSON.stringify(made))]);
  const { stdout } = await muster(["threshold", "show", id]);
  assert.match(
    stdout,
    /^Cold \(.+\), enabled, revision 1\nOn 0 devices and 0 device types; 0 unresolved anomalies\.$/m,
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

test("people are told what happened, and that a secret is shown this once", async () => {
  const args = ["user", "create", "--tenant", "acme", "--email", "bob@acme.example", "--role", "viewer"];
  const { stdout, code } = await musterProcess(args, server.dataDir);
  assert.equal(code, 0);
  assert.match(stdout, /^User bob@acme.example is there \(.+\)\.\nPassword: (\w{22})\nIt is shown this once/);
  secrets.push(/Password: (\w+)/.exec(stdout)![1]!);
});

test("a webhook's secret is shown as often as it is asked for, and to whoever names the webhook exactly", async () => {
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

test("who is on call is shown with the hours that reach nobody, and what was sent to whom", async () => {
  const caller = await server.app.access.systemCaller("acme");
  const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
  const { id } = await server.app.groups.createGroup(caller, { name: "Watch", escalation });
  const { now, duties, gaps } = await json("group", "on-call", id, "--tenant", "acme");
  assert.deepEqual([now, duties, gaps.length], [[], [], 1]);
  const { id: device } = await json("device", "create", "--tenant", "acme", "--name", "P", "--group", id);
  const { stdout } = await muster(["device", "on-call", device, "--tenant", "acme"]);
  assert.match(
    stdout,
    /^Nobody is on duty now\.\nNo shift in the next seven days\.\nAn anomaly .+ nobody:\n\S+Z to \S+Z$/m,
  );
  assert.match(await refused("group", "on-call", device, "--tenant", "acme"), /There is no such group/);
  assert.deepEqual(await json("notification", "list", "--tenant", "acme", "--anomaly", id), { items: [] });
  assert.match(await refused("notification", "list", "--tenant", "acme", "--limit", "201"), /limit/);
});

test("a shift is made of people by their addresses and days by their names", async () => {
  const times = ["--time-zone", "Europe/Berlin", "--start", "22:00", "--end", "06:00", "--days", "sun, mon"];
  const people = ["--user", "ada@acme.example", "BOB@acme.example"];
  const create = ["shift", "create", "--tenant", "acme", "--name", "Nights", ...times, ...people];
  const { id, userIds, ...shift } = await json(...create, "--valid-from", "2026-12-01", "--valid-until", "2099-12-31");
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(userIds.length, 2);
  assert.deepEqual([shift.daysOfWeek, shift.validFrom, shift.validUntil], [["mon", "sun"], "2026-12-01", "2099-12-31"]);
  const caller = await server.app.access.systemCaller("acme");
  assert.equal((await server.app.groups.getShift(caller, id)).name, "Nights");
  assert.match(await refused(...create, "nobody@acme.example"), /There is no such user\. \(nobody@acme\.example\)$/);
  const { stdout } = await muster(create);
  assert.match(
    stdout,
    /^Shift Nights is there \(.+\)\.\nIt begins at 22:00 Europe\/Berlin on mon, sun and is o(n|ff) duty now\.$/m,
  );
});

test("ending a user at the shell ends the user's keys", async () => {
  const email = "eve@acme.example";
  await json("user", "create", "--tenant", "acme", "--email", email, "--role", "admin");
  for (const verb of ["deactivate", "reset-password", "delete"]) {
    const made = ["--tenant", "acme", "--user", email, "--name", verb, "--scope", "groups:read", "groups:write"];
    const { key } = await json("key", "create", ...made);
    await json("user", verb, email);
    await assert.rejects(server.app.access.admitRequest(key, "::1"), { code: "invalid_api_key" });
    if (verb === "deactivate") await json("user", "reactivate", email);
  }
  const bob = await refused(
    "key",
    "create",
    "--tenant",
    "acme",
    "--user",
    "bob@acme.example",
    "--name",
    "x",
    "--scope",
    "devices:read",
  );
  assert.match(bob, /tenant admin/);
});

test("users, keys and device types are listed, and what was written with a key, without a secret", async () => {
  const [admin] = (await json("user", "list", "--tenant", "acme")).items.slice(-1);
  assert.deepEqual([admin.email, admin.role, admin.status], ["ada@acme.example", "admin", "active"]);

  const made = ["--tenant", "acme", "--user", admin.email, "--name", "lists", "--scope", "groups:write"];
  const { id, key } = await json("key", "create", ...made);
  const body = { name: "Made by a key" };
  const posted = await https(`${server.httpUrl}/api/v1/groups`, { ca: server.ca, body, headers: { "X-API-Key": key } });
  assert.equal(posted.status, 201);
  await json("key", "revoke", id);
  const { items } = await json("key", "list", "--tenant", "acme");
  const listed = items.find((each: { id: string }) => each.id === id);
  assert.deepEqual([listed.user, listed.scopes, listed.expiresAt], [admin.email, ["groups:write"], null]);
  assert.deepEqual([listed.revokedBy, listed.revocationReason], ["system", "requested"]);
  assert.ok(listed.revokedAt && !JSON.stringify(items).includes(key.split("_").at(-1)));

  const { items: writes } = await json("api-audit", "--tenant", "acme", "--limit", "1");
  assert.equal(writes.length, 1);
  assert.deepEqual([writes[0].keyId, writes[0].operation, writes[0].result], [id, "createGroup", "created"]);
  assert.match(await refused("api-audit", "--tenant", "acme", "--limit", "0"), /limit/);

  const types = (await json("device-type", "list", "--tenant", "acme")).items;
  assert.deepEqual([types.at(-1).name, types.at(-1).publishTopics], ["Pump", ["t/{deviceId}"]]);
  const { stdout } = await muster(["key", "list", "--tenant", "acme"]);
  assert.match(stdout, new RegExp(`^${id}  lists .* revoked .* groups:write$`, "m"));
});

test("a refusal is one line on stderr with what it is about, and exit code 1", async () => {
  const key = ["key", "create", "--tenant", "acme", "--user", "ada@acme.example", "--name", "x", "--scope"];
  assert.match(
    await refused(...key, "provisioning:*"),
    /^muster: There is no wildcard of provisioning.* \(provisioning:\*\)$/,
  );
  assert.match(
    await refused("tenant", "create", "acme", "--name", "x"),
    /There is already a tenant with this slug\. \(acme\)$/,
  );
  assert.equal(
    await refused("device", "create", "--tenant", "nowhere", "--name", "x"),
    "muster: There is no such tenant.",
  );
  assert.equal(await refused("key", "revoke", "aaaaaaaa"), "muster: There is no such API key.");
  assert.match(await refused("claim", "create", "--tenant", "acme", "--name", "x", "--max-uses", "101"), /100/);
  const { stderr } = await muster(["key", "revoke", "aaaaaaaa", "--json"]);
  assert.deepEqual(JSON.parse(stderr), { error: "not_found", message: "There is no such API key." });
});

test("wrong usage exits 2 and reaches no service", async () => {
  for (const args of [[], ["nonsense"], ["tenant", "create", "x"], ["claim", "create", "--max-uses", "many"]])
    assert.equal((await muster(args, "/nonexistent")).code, 2, args.join(" "));
  assert.equal((await muster(["--help"], "/nonexistent")).code, 0);
  const { stdout } = await muster(["key", "create", "--help"], "/nonexistent");
  assert.match(stdout, /--tenant <slug> +the tenant \(required\)$/m);
  assert.match(stdout, /--expires-in-days <n> .*absent$/m);
});

test("a process of its own answers as the command line does, with its exit code", async () => {
  for (const args of [["ca", "status", "--json"], ["key", "revoke", "aaaaaaaa"], ["nonsense"]])
    assert.deepEqual(await musterProcess(args, server.dataDir), await muster(args), args.join(" "));
});

test("docs/operations.md names every command", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
  const leaves = createProgram(() => undefined).commands.flatMap((each) =>
    each.commands.length > 0 ? each.commands.map((one) => `${each.name()} ${one.name()}`) : [each.name()],
  );
  assert.ok(leaves.length > 20);
  for (const leaf of leaves) assert.match(page, new RegExp(`\\| .*\`${leaf}[\` ].*\\|`), leaf);
});

test("without a service on the data folder it says how to start one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-cli-"));
  for (const dataDir of [folder, join(folder, "absent")]) {
    const { stderr, code } = await muster(["ca", "status"], dataDir);
    assert.equal(code, 1);
    assert.match(stderr, /^muster: no muster service is running on the data folder .*npm start/);
  }
  await rm(folder, { recursive: true });
});

test("the authorities are listed, and rotate from the shell", async () => {
  const active = async () =>
    (await json("ca", "status")).authorities.filter((each: { status: string }) => each.status === "active").length;
  assert.equal(await active(), 5);
  for (const command of ["rotate-intermediate", "rotate-root", "rotate-server"]) await json("ca", command);
  assert.equal(await active(), 5);
  const { stdout } = await muster(["ca", "status"]);
  assert.match(stdout, /^device_intermediate +retiring +until \d{4}-\d\d-\d\d/m);
});

test("the doctor finds nothing wrong, and exits 1 when something is", async () => {
  const { stdout, code } = await muster(["doctor", "--deep"]);
  assert.equal(code, 0, stdout);
  assert.ok(stdout.trim().split("\n").length >= 15);
  const { database } = server.app;
  await database.db.updateTable("claims").set({ used_count: 2 }).execute();
  const sick = await muster(["doctor", "--deep"]);
  assert.equal(sick.code, 1);
  assert.match(sick.stdout, /^BROKEN {2}a claim's uses are within its limit .*: 1, among them claim /m);
  await database.db.updateTable("claims").set({ used_count: 0 }).execute();
});

test("the socket is its owner's alone", async () => {
  assert.equal((await stat(socketPath(server.dataDir))).mode & 0o777, 0o600);
});

test("no secret that was shown is in the log", () => {
  assert.ok(secrets.length >= 5);
  const log = server.logs.join("");
  for (const secret of secrets) assert.ok(!log.includes(secret));
});
