import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createProgram } from "../../src/cli/program.ts";
import { socketPath } from "../../src/control/socket-path.ts";
import { https } from "../harness/http/https.ts";
import { musterProcess } from "../harness/processes/command-line.ts";
import { startShell, type TestShell } from "../harness/processes/shell.ts";
import { turnOnFactor } from "../harness/second-factor.ts";
import type { TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

const secrets: string[] = [];
let shell: TestShell;
let server: TestServer;
let { json, muster, refused } = {} as TestShell;

before(async () => {
  shell = await startShell();
  ({ server, json, muster, refused } = shell);
});
after(() => shell.stop());

test("the shell creates a tenant, an admin, a key, a device type, a device, a claim and an MQTT client", async () => {
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

test("without --json a result is a sentence, and warns that a secret is not shown again", async () => {
  const args = ["user", "create", "--tenant", "acme", "--email", "bob@acme.example", "--role", "viewer"];
  const { stdout, code } = await musterProcess(args, server.dataDir);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Created user bob@acme.example \(.+\)\.\nPassword: (\w{22})\nCopy it now: it is not shown again\.\n$/,
  );
  secrets.push(/Password: (\w+)/.exec(stdout)![1]!);
});

test("the shell removes the second factor of a user who lost it, and reports when there was none", async () => {
  const user = await signIn(server, { caller: await server.app.access.systemCaller("acme") });
  const { secret } = await turnOnFactor(server, user);
  secrets.push(secret);
  assert.deepEqual(await json("user", "reset-factor", user.email), { email: user.email, removed: true });
  assert.equal((await user.call("GET", "/session")).status, 401);
  const { stdout } = await muster(["user", "reset-factor", user.email]);
  assert.match(stdout, /had no second factor/);
});

test("deactivating a user, resetting the password and deleting the user revoke the user's API keys", async () => {
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

test("users, keys, device types and a key's writes are listed without secrets", async () => {
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
  const { stdout: listing } = await muster(["device-type", "list", "--tenant", "acme"]);
  assert.match(listing, /^ID +NAME +PUBLISHES TO +SUBSCRIBES TO$/m);
  assert.match(listing, new RegExp(`^${types.at(-1).id}  Pump +t/\\{deviceId\\} +none$`, "m"));
  const { stdout } = await muster(["key", "list", "--tenant", "acme"]);
  assert.match(stdout, new RegExp(`^${id}  lists .* revoked .* groups:write$`, "m"));
});

test("a refusal is one line on stderr with the offending value, and exit code 1", async () => {
  const key = ["key", "create", "--tenant", "acme", "--user", "ada@acme.example", "--name", "x", "--scope"];
  assert.match(
    await refused(...key, "provisioning:*"),
    /^muster: There is no wildcard of provisioning.* \(provisioning:\*\)$/,
  );
  assert.match(
    await refused(...key, "devices:foo"),
    /^muster: Unknown scope devices:foo\. Valid scopes: devices:read, devices:write, .*webhooks:\*, .*\. \(devices:foo\)$/,
  );
  assert.match(
    await refused("tenant", "create", "acme", "--name", "x"),
    /There is already a tenant with this slug\. \(acme\)$/,
  );
  assert.equal(
    await refused("device", "create", "--tenant", "nowhere", "--name", "x"),
    "muster: There is no such tenant. (nowhere)",
  );
  assert.equal(await refused("tenant", "usage", "nope"), "muster: There is no such tenant. (nope)");
  assert.equal(await refused("key", "revoke", "aaaaaaaa"), "muster: There is no such API key.");
  assert.match(await refused("claim", "create", "--tenant", "acme", "--name", "x", "--max-uses", "101"), /100/);
  const { stderr } = await muster(["key", "revoke", "aaaaaaaa", "--json"]);
  assert.deepEqual(JSON.parse(stderr), { error: "not_found", message: "There is no such API key." });
});

test("the refusal of a device type explains that --type takes an id, and which command lists them", async () => {
  for (const command of ["device", "claim"]) {
    const create = [command, "create", "--tenant", "acme", "--name", "x", "--type", "Pump"];
    assert.equal(
      await refused(...create),
      "muster: There is no such device type. (Pump)\n--type takes the id of a device type, which muster device-type list --tenant acme shows.",
    );
    const { stderr } = await muster([...create, "--json"]);
    const message = "There is no such device type.";
    assert.deepEqual(JSON.parse(stderr), { error: "invalid_request", message, detail: "Pump" });
    assert.doesNotMatch(await refused(...create.slice(0, -2), "--group", "Pump"), /--type/);
  }
});

test("wrong usage exits 2 without a service", async () => {
  for (const args of [[], ["nonsense"], ["tenant", "create", "x"], ["claim", "create", "--max-uses", "many"]])
    assert.equal((await muster(args, "/nonexistent")).code, 2, args.join(" "));
  assert.equal((await muster(["--help"], "/nonexistent")).code, 0);
  const { stdout } = await muster(["key", "create", "--help"], "/nonexistent");
  assert.match(stdout, /--tenant <slug> +Slug of the tenant \(required\)$/m);
  assert.match(stdout, /--expires-in-days <n> .*absent$/m);
  assert.equal(stdout.match(/\(required\)$/gm)?.length, 3);
});

test("the muster process prints and exits as runCommandLine does", async () => {
  for (const args of [["ca", "status", "--json"], ["key", "revoke", "aaaaaaaa"], ["nonsense"]])
    assert.deepEqual(await musterProcess(args, server.dataDir), await muster(args), args.join(" "));
});

test("docs/operations/commands.md names every group of subcommands", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../docs/operations/commands.md"), "utf8");
  const { commands } = createProgram(() => undefined);
  assert.ok(commands.length > 20);
  for (const each of commands) assert.match(page, new RegExp(`\\| .*\`${each.name()}[\` ].*\\|`), each.name());
});

test("without a running service the error says how to start one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-cli-"));
  for (const dataDir of [folder, join(folder, "absent")]) {
    const { stderr, code } = await muster(["ca", "status"], dataDir);
    assert.equal(code, 1);
    assert.match(stderr, /^muster: no muster service is running on the data folder .*npm start/);
  }
  await rm(folder, { recursive: true });
});

test("the shell lists and rotates the certificate authorities", async () => {
  const active = async () =>
    (await json("ca", "status")).authorities.filter((each: { status: string }) => each.status === "active").length;
  assert.equal(await active(), 5);
  for (const command of ["rotate-intermediate", "rotate-root", "rotate-server"]) await json("ca", command);
  assert.equal(await active(), 5);
  assert.deepEqual((await json("ca", "status")).rollout.trusting, 0, "the new server root is on no device yet");
  const { stdout } = await muster(["ca", "status"]);
  assert.match(
    stdout,
    /^New server root \(takes over \d{4}-\d\d-\d\d\): 0 of \d+ devices with a live certificate have it\.$/m,
  );
  assert.match(stdout, /^AUTHORITY +STATUS[\s\S]*^device_intermediate +retiring +\d{4}-\d\d-\d\d/m);
});

test("doctor exits 0 on consistent data and 1 when an invariant is broken", async () => {
  const { stdout, code } = await muster(["doctor", "--deep"]);
  assert.equal(code, 0, stdout);
  assert.ok(stdout.trim().split("\n").length >= 15);
  const { database } = server.app;
  await database.db.updateTable("claims").set({ used_count: 2 }).execute();
  const broken = await muster(["doctor", "--deep"]);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /^BROKEN {2}a claim's uses are within its limit .*: 1 violation, for example claim /m);
  await database.db.updateTable("claims").set({ used_count: 0 }).execute();
});

test("only the owner can open the socket", async () => {
  assert.equal((await stat(socketPath(server.dataDir))).mode & 0o777, 0o600);
});

test("the log contains no secret that a command has shown", () => {
  assert.ok(secrets.length >= 5);
  const log = server.logs.join("");
  for (const secret of secrets) assert.ok(!log.includes(secret));
});
