import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { refusal, TOPIC } from "./remote/service.ts";
import { enrolled, setup } from "./remote/setup.ts";

const BIN = join(import.meta.dirname, "../bin/muster-agent.mjs");

function cli(args: string[], input: string | "ignore" = "") {
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: [input === "ignore" ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout!.on("data", (chunk) => (out += chunk));
  child.stderr!.on("data", (chunk) => (err += chunk));
  if (input !== "ignore") child.stdin!.end(input);
  const done = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, out, err }));
  });
  return { child, done };
}

test("enroll, run, status and renew work from the command line", async (t) => {
  const { remote, stateDir } = await setup(t);
  const ca = join(stateDir, "../given-ca.pem");
  await writeFile(ca, remote.caPem);
  const flags = ["--server", remote.url, "--claim", "CLAIM-AAAA-BBBB-CCCC", "--fingerprint", "hw-1", "--model", "Pump"];
  const enrollment = await cli(["enroll", ...flags, "--state-dir", stateDir, "--ca", ca]).done;
  assert.equal(enrollment.code, 0, enrollment.err);
  assert.match(enrollment.out, /^Enrolled as dev-1/);
  assert.equal(await readFile(join(stateDir, "https-ca.pem"), "utf8"), remote.caPem);

  const run = await cli(["run", "--state-dir", stateDir, "--json"], '{"a":1}\n\n{"a":2}\n').done;
  assert.equal(run.code, 0, run.err);
  assert.deepEqual(JSON.parse(run.out), { acknowledged: 2, dropped: 0, unsent: 0 });
  assert.deepEqual(
    remote.broker.messages.map(({ topic, payload }) => [topic, payload]),
    [
      [TOPIC, '{"a":1}'],
      [TOPIC, '{"a":2}'],
    ],
  );

  const before = JSON.parse((await cli(["status", "--state-dir", stateDir, "--json"]).done).out);
  assert.equal(before.state, "active");
  assert.equal((await cli(["renew", "--state-dir", stateDir]).done).code, 0);
  const after = JSON.parse((await cli(["status", "--state-dir", stateDir, "--json"]).done).out);
  assert.notEqual(after.serialNumber, before.serialNumber);
});

test("every line of a long input arrives", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const lines = Array.from({ length: 3000 }, (_, i) => `${i}`);
  const run = await cli(["run", "--state-dir", stateDir], lines.join("\n")).done;
  assert.equal(run.code, 0, run.err);
  assert.deepEqual(
    remote.broker.messages.map((one) => one.payload),
    lines,
  );
});

test("a refusal gives exit code 1, the server's code and message, and advice", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const renewal = () => remote.answers.push(() => refusal(401, "cert_invalid", "Revoked."));
  renewal();
  const plain = await cli(["renew", "--state-dir", stateDir]).done;
  assert.equal(plain.code, 1);
  assert.match(plain.err, /^cert_invalid: Revoked\. \(request req-1\)\n.*administrator/);
  renewal();
  const json = await cli(["renew", "--state-dir", stateDir, "--json"]).done;
  assert.equal(json.code, 1);
  const { error, status, requestId } = JSON.parse(json.out);
  assert.deepEqual({ error, status, requestId }, { error: "cert_invalid", status: 401, requestId: "req-1" });
});

test("a wrong command line gives exit code 2", async () => {
  for (const args of [["enroll"], ["run"], ["dance"], ["run", "--state-dir", "x", "--drain-timeout", "soon"]]) {
    assert.equal((await cli(args).done).code, 2, args.join(" "));
  }
  const http = ["--server", "http://x", "--claim", "c", "--fingerprint", "f", "--model", "m", "--state-dir", "x"];
  assert.equal((await cli(["enroll", ...http]).done).code, 2);
});

test("a folder without an identity gives exit code 1 and advice", async (t) => {
  const { stateDir } = await setup(t);
  for (const command of ["run", "renew", "status"]) {
    const { code, err } = await cli([command, "--state-dir", stateDir]).done;
    assert.equal(code, 1, command);
    assert.match(err, /^not_enrolled: .*\nRun `muster-agent enroll` first\.\n$/);
  }
});

test("run ends with an error when a revoked device cannot deliver its input", async (t) => {
  const { remote, stateDir, identity } = await enrolled(t);
  remote.revoked.add(identity.certificate.serialNumber.toLowerCase());
  const { code, err } = await cli(["run", "--state-dir", stateDir], "1\n").done;
  assert.equal(code, 1);
  assert.match(err, /^refused: /m);
});

test("a topic that the certificate does not contain is refused before anything is sent", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const { code, err } = await cli(["run", "--state-dir", stateDir, "--topic", "t/acme/other"], "1\n").done;
  assert.equal(code, 1);
  assert.match(err, /topic_not_authorised/);
  assert.equal(remote.broker.messages.length, 0);
});

test("as a system service run stays connected until SIGTERM", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const { child, done } = cli(["run", "--state-dir", stateDir], "ignore");
  await new Promise<void>((resolve) => {
    child.stderr!.on("data", (chunk) => String(chunk).includes("connected as dev-1") && resolve());
  });
  assert.equal(remote.broker.connects.length, 1);
  assert.equal(child.exitCode, null);
  child.kill("SIGTERM");
  assert.equal((await done).code, 0);
});
