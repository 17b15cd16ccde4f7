import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SCOPES } from "../../src/access/access.ts";
import { newKey, newTenant } from "../harness/devices.ts";
import { type CommandLine, startCommandLine } from "../harness/processes/command-line.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-remote-"));
const caFile = join(folder, "ca.pem");
const keyFile = join(folder, "key");
/** A folder without a service: whatever is answered came through the API. */
const nowhere = join(folder, "nowhere");
let server: TestServer;
let commandLine: CommandLine;
let key: string;

before(async () => {
  [server, commandLine] = await Promise.all([startServer(), startCommandLine()]);
  key = await newKey(server, await newTenant(server), ...SCOPES);
  writeFileSync(caFile, server.ca);
  writeFileSync(keyFile, `${key}\n`);
});
after(async () => {
  await commandLine.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const muster = (...args: string[]) => commandLine.run(args, nowhere, { XDG_CONFIG_HOME: folder });
const remote = (...args: string[]) =>
  muster(...args, "--server", server.httpUrl, "--api-key-file", keyFile, "--ca-file", caFile);

test("the shell does through the API what it does at the service's machine, with the same output", async () => {
  const created = await remote("device", "create", "--id", "far-1", "--name", "Far pump");
  assert.deepEqual([created.stdout, created.stderr, created.code], ["Created device far-1 (Far pump).\n", "", 0]);
  const listed = await remote("device", "list");
  assert.match(listed.stdout, /^ID +NAME +CONNECTIVITY +CERTIFICATE +LAST SEEN +DEVICE TYPE\nfar-1 +Far pump /);
  const { claimCode } = JSON.parse((await remote("claim", "create", "--name", "Line", "--json")).stdout);
  assert.match(claimCode, /^CLAIM-/);
  assert.match((await remote("claim", "list")).stdout, /Line +….{4} +pending +0 of 1/);
  assert.match((await remote("device", "latest", "far-1")).stdout, /^No values\.\n$/);
});

test("a refusal by the API is printed like one of the socket, and ends with 1", async () => {
  const refused = await remote("device", "delete", "far-2");
  assert.deepEqual([refused.stdout, refused.code], ["", 1]);
  assert.match(refused.stderr, /^muster: there is no such device/i);
  const { stderr } = await remote("device", "delete", "far-2", "--json");
  assert.equal(JSON.parse(stderr).error, "not_found");
});

test("a list longer than a page of the API comes whole", async () => {
  for (let n = 0; n < 3; n++) await remote("claim", "create", "--name", `Claim ${n}`);
  const { items, total } = JSON.parse((await remote("claim", "list", "--limit", "2", "--skip", "1", "--json")).stdout);
  assert.deepEqual([items.length, total], [2, 4]);
});

test("a subcommand that only the machine can do says so, and does nothing here", async () => {
  for (const args of [["ca", "status"], ["revoke-all"], ["user", "list"], ["serve"]]) {
    const { stdout, stderr, code } = await remote(...args);
    assert.deepEqual([stdout, code], ["", 1]);
    assert.match(stderr, new RegExp(`^muster: muster ${args.join(" ")} needs the service's machine`));
  }
});

test("a profile that login has made stands for address, key and trust", async () => {
  const login = await remote("login", "--profile", "plant");
  assert.match(login.stdout, /^Stored profile plant for https:/);
  const file = join(folder, "muster/config.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match((await muster("device", "list", "--profile", "plant")).stdout, /far-1/);
  chmodSync(file, 0o644);
  assert.match((await muster("device", "list", "--profile", "plant")).stderr, /others may read it/);
  chmodSync(file, 0o600);
  assert.match((await muster("device", "list", "--profile", "other")).stderr, /there is no profile other/);
  assert.ok(!`${login.stdout}${login.stderr}`.includes(key));
});

test("login refuses a key that the service refuses, and stores nothing", async () => {
  const before = readFileSync(join(folder, "muster/config.json"), "utf8");
  const wrong = join(folder, "wrong");
  writeFileSync(wrong, `${key.slice(0, -4)}xxxx`);
  const options = ["--server", server.httpUrl, "--api-key-file", wrong, "--ca-file", caFile];
  const { stderr, code } = await muster("login", "--profile", "plant", ...options);
  assert.equal(code, 1);
  assert.match(stderr, /API key/);
  assert.equal(readFileSync(join(folder, "muster/config.json"), "utf8"), before);
});

test("the service must be trusted, and its address must be https", async () => {
  const untrusted = await muster("device", "list", "--server", server.httpUrl, "--api-key-file", keyFile);
  assert.match(untrusted.stderr, /did not answer: .*(certificate|self-signed)/);
  const plain = server.httpUrl.replace("https:", "http:");
  const { stderr } = await muster("device", "list", "--server", plain, "--api-key-file", keyFile);
  assert.match(stderr, /takes an https address/);
  assert.match((await muster("device", "list", "--server", server.httpUrl)).stderr, /needs --api-key-file/);
});
