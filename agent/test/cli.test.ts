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

test("a claim without remaining uses is reported in one sentence, with the remedy", async (t) => {
  const { remote, stateDir } = await setup(t);
  const ca = join(stateDir, "../given-ca.pem");
  await writeFile(ca, remote.caPem);
  remote.answers.push(() => refusal(409, "claim_exhausted", "Every use of this claim is spent."));
  const flags = ["--server", remote.url, "--claim", "CLAIM-AAAA-BBBB-CCCC", "--fingerprint", "hw-1", "--model", "Pump"];
  const { code, err } = await cli(["enroll", ...flags, "--state-dir", stateDir, "--ca", ca]).done;
  assert.equal(code, 1);
  const said = "claim_exhausted: Every use of this claim is spent. (request req-1)\nAsk for a new claim code.\n";
  assert.equal(err, said);
});

test("a wrong command line gives exit code 2, and names --help", async () => {
  for (const args of [["enroll"], ["run"], ["dance"], ["run", "--state-dir", "x", "--drain-timeout", "soon"]]) {
    const { code, err } = await cli(args).done;
    assert.equal(code, 2, args.join(" "));
    assert.match(err, /^error: .*\nRun it with --help to see its commands and options\.\n$/, args.join(" "));
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

test("messages that a connected server does not acknowledge in time are reported", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  remote.broker.take = () => "silent";
  const run = (input: string) => cli(["run", "--state-dir", stateDir, "--drain-timeout", "1"], input).done;
  const { code, err } = await run("1\n2\n");
  assert.equal(code, 1);
  assert.match(err, /^not_acknowledged: The server did not acknowledge 2 messages in 1 s\.\nThe connection is open, /m);
  await remote.broker.close();
  assert.match((await run("1\n")).err, /^unreachable: 1 message was not delivered in 1 s\.\nCheck the address/m);
});

test("a topic that the certificate does not contain is refused before anything is sent", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const { code, err } = await cli(["run", "--state-dir", stateDir, "--topic", "t/acme/other"], "1\n").done;
  assert.equal(code, 1);
  assert.match(err, /topic_not_authorised/);
  assert.equal(remote.broker.messages.length, 0);
});

test("a message that the broker refuses is reported, the others are delivered, and the exit code is 1", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  remote.broker.take = ({ payload }) => (payload === "2" ? 0x87 : true);
  const { code, err } = await cli(["run", "--state-dir", stateDir], "1\n2\n3\n").done;
  assert.equal(code, 1);
  const refusal = `The broker refused a message on ${TOPIC}: not authorized (0x87).`;
  assert.ok(err.includes(`message_refused: ${refusal}\n`), err);
  assert.ok(err.includes(`message_refused: 1 message was refused and not sent again. ${refusal}\n`), err);
  assert.equal(remote.broker.messages.length, 3);
});

test("a device that is revoked while it runs stops with exit code 3", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const { child, done } = cli(["run", "--state-dir", stateDir], "ignore");
  await new Promise<void>((resolve) => {
    remote.broker.onSession = () => resolve();
  });
  remote.broker.accept = () => 0x87;
  remote.broker.session("dev-1")!.disconnect(0x98);
  const { code, err } = await done;
  assert.equal(code, 3);
  assert.equal(child.exitCode, 3);
  assert.match(err, /^disconnected: an administrator has ended the session.*\(0x98\)$/m);
  assert.match(err, /^revoked: An administrator has ended this device's session.*\n.*new enrollment/m);
});

test("run prints commands as lines of JSON, and acknowledges them", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const nothing = await cli(["run", "--state-dir", stateDir, "--commands"]).done;
  assert.equal(nothing.code, 1);
  assert.match(nothing.err, /^subscription_refused: .*permits no subscriptions/);
  const file = join(stateDir, "device.json");
  const topic = "t/acme/commands/dev-1";
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), subscribeTopics: [topic] }));
  const { out: state } = await cli(["status", "--state-dir", stateDir]).done;
  assert.ok(state.includes(`commands     ${topic}\n`), state);
  const { child, done } = cli(["run", "--state-dir", stateDir, "--commands"], "ignore");
  const { broker } = remote;
  await new Promise<void>((resolve) => {
    broker.onSession = () => resolve();
  });
  const message = { cmd: "publish", topic, qos: 1, dup: false, retain: false } as const;
  const session = broker.session("dev-1")!;
  session.send({ ...message, messageId: 1, payload: "open\n" });
  session.send({ ...message, messageId: 2, payload: Buffer.from([0xff]) });
  const acks = () => broker.packets.filter(({ cmd }) => cmd === "puback").map(({ messageId }) => messageId);
  while (acks().length < 2) await new Promise(setImmediate);
  child.kill("SIGTERM");
  const { code, out } = await done;
  assert.equal(code, 0);
  assert.equal(out, `{"topic":"${topic}","payload":"open\\n"}\n{"topic":"${topic}","payloadBase64":"/w=="}\n`);
  assert.deepEqual(acks(), [1, 2]);
  const { clean } = broker.connects.at(-1)!;
  assert.equal(clean, false);
});

test("run speaks only the version of MQTT that its option names", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  assert.equal((await cli(["run", "--state-dir", stateDir, "--mqtt", "3.1.1"], "1\n").done).code, 0);
  assert.deepEqual(
    remote.broker.connects.map(({ version }) => version),
    [4],
  );
  assert.equal((await cli(["run", "--state-dir", stateDir, "--mqtt", "4"], "1\n").done).code, 2);
});

test("as a system service, run stays connected until SIGTERM", async (t) => {
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
