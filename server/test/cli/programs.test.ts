import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { https } from "../harness/http/https.ts";
import { startShell, type TestShell } from "../harness/processes/shell.ts";

/** Service accounts and the rotation of API keys at the shell. */
let shell: TestShell;
let { json, muster, refused, server } = {} as TestShell;

before(async () => {
  shell = await startShell();
  ({ json, muster, refused, server } = shell);
  await json("tenant", "create", "acme", "--name", "Acme");
  await json("user", "create", ...IN, "--email", "ada@acme.example", "--role", "admin");
});
after(() => shell.stop());

const IN = ["--tenant", "acme"];
const NEW = ["--role", "operator", "--contact", "ada@acme.example"];

const statusWith = async (key: string) =>
  (await https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": key } })).status;

test("a key is rotated, the new one is shown once, and the list says when the old one ends", async () => {
  const made = [...IN, "--user", "ada@acme.example", "--name", "Sync", "--scope", "devices:read"];
  const former = await json("key", "create", ...made);
  const { stdout } = await muster(["key", "rotate", former.id, "--overlap-hours", "2"]);
  const [, id, key, end] =
    /^Created API key (\w+)\..*\n(mstr_\w+)\nCopy it now: it is not shown again\.\nAPI key \w+ ends at (\S+)\.\n$/.exec(
      stdout,
    )!;
  assert.deepEqual([await statusWith(former.key), await statusWith(key!)], [200, 200]);
  assert.match((await muster(["key", "list", ...IN])).stdout, new RegExp(`replaced by ${id}, expires ${end}`));
  assert.match(await refused("key", "rotate", former.id), /already been replaced/);
  assert.match(await refused("key", "rotate", id!, "--overlap-hours", "169"), /0 to 168/);
});

test("a service account is created, changed, gets a key, and is deactivated and deleted", async () => {
  const account = await json("service-account", "create", ...IN, "--name", "Night", ...NEW);
  assert.equal(account.role, "operator");
  const group = await server.app.groups.createGroup(await server.app.access.systemCaller("acme"), { name: "Hall" });
  const change = ["--role", "viewer", "--expires-in-days", "30", "--group", group.id];
  const changed = await json("service-account", "update", "night", ...IN, ...change);
  assert.deepEqual([changed.role, changed.groupIds], ["viewer", [group.id]]);
  const owned = [...IN, "--service-account", "Night", "--name", "Sync", "--scope", "devices:read"];
  const { id, key } = await json("key", "create", ...owned);
  assert.equal(await statusWith(key), 200);
  const lines = (await muster(["key", "list", ...IN])).stdout.split("\n");
  assert.match(lines.find((line) => line.startsWith(id))!, /does not expire +.+ Night +devices:read/);
  const list = async () => (await muster(["service-account", "list", ...IN])).stdout;
  assert.match(
    await list(),
    /^NAME +ROLE +STATUS +ENDS +CONTACT +FROM +ID\nNight +viewer +active +\S+ +ada@acme\.example +anywhere /,
  );
  await muster(["service-account", "update", "Night", ...IN, "--from", "203.0.113.0/24", "192.0.2.7"]);
  assert.match(await list(), /ada@acme\.example +203\.0\.113\.0\/24 192\.0\.2\.7\/32 /);
  assert.equal(await statusWith(key), 403);
  await muster(["service-account", "update", "Night", ...IN, "--from-anywhere"]);
  assert.equal(await statusWith(key), 200);
  await muster(["service-account", "deactivate", "Night", ...IN]);
  assert.equal(await statusWith(key), 401);
  assert.match(await refused("key", "create", ...owned), /has ended/);
  await muster(["service-account", "reactivate", "Night", ...IN]);
  assert.match(await list(), /active/);
  await muster(["service-account", "delete", "Night", ...IN]);
  assert.match(await list(), /^No service accounts\./);
});

test("a key needs one owner, and a service account a contact of the tenant", async () => {
  assert.match(await refused("key", "create", ...IN, "--name", "x", "--scope", "devices:read"), /owns the key/);
  const unknown = ["--role", "viewer", "--contact", "nobody@acme.example"];
  assert.match(await refused("service-account", "create", ...IN, "--name", "x", ...unknown), /no such user/);
  assert.match(await refused("service-account", "update", "Unknown", ...IN), /no such service account/);
});
