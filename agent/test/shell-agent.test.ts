import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadIdentity, renew } from "../src/index.ts";
import { refusal, TOPIC } from "./remote/service.ts";
import { setup } from "./remote/setup.ts";
import { shell, shellSkip } from "./remote/shell.ts";

async function enrolledByShell(t: TestContext) {
  const { remote, stateDir } = await setup(t);
  const ca = join(stateDir, "../https-ca.pem");
  await writeFile(ca, remote.caPem);
  const enroll = () => shell(["enroll", stateDir, remote.url, "CLAIM-AAAA-BBBB-CCCC", 'hw "1"', "Pump", ca]);
  return { remote, stateDir, enroll, first: await enroll() };
}

test("the shell agent enrolls, publishes and renews", { skip: shellSkip }, async (t) => {
  const { remote, stateDir, first } = await enrolledByShell(t);
  assert.deepEqual(first, { code: 0, out: "enrolled as dev-1\n", err: "" });
  assert.equal(remote.requests[0]!.body.hardwareFingerprint, 'hw "1"');
  const serial = (await loadIdentity(stateDir)).certificate.serialNumber;

  const published = await shell(["publish", stateDir], '{"temperature":1}\n{"temperature":2}\n');
  assert.equal(published.code, 0, published.err);
  assert.deepEqual(
    remote.broker.messages.map(({ topic, payload }) => [topic, payload]),
    [
      [TOPIC, '{"temperature":1}'],
      [TOPIC, '{"temperature":2}'],
    ],
  );

  assert.deepEqual(await shell(["renew", stateDir]), { code: 0, out: "", err: "" });
  assert.equal(remote.requests.length, 1);
  const renewed = await shell(["renew", stateDir, "now"]);
  assert.match(renewed.out, /^renewed until \d{4}-/);
  assert.equal(remote.requests[1]!.serial, serial.toLowerCase());
  assert.notEqual((await loadIdentity(stateDir)).certificate.serialNumber, serial);
  assert.equal((await shell(["publish", stateDir], "3\n")).code, 0);
});

test("the library uses the state folder of the shell agent, and vice versa", {
  skip: shellSkip,
}, async (t) => {
  const { remote, stateDir } = await enrolledByShell(t);
  const renewed = await renew({ stateDir });
  assert.deepEqual(renewed.device.publishTopics, [TOPIC]);
  assert.equal((await shell(["publish", stateDir], "1\n")).code, 0);
  assert.equal((await shell(["renew", stateDir, "now"])).code, 0);
  assert.equal(remote.requests[2]!.serial, renewed.certificate.serialNumber.toLowerCase());
});

test("a refusal is printed with its code and changes nothing, and the next attempt uses the same key", {
  skip: shellSkip,
}, async (t) => {
  const { remote, stateDir, enroll } = await enrolledByShell(t);
  const before = (await loadIdentity(stateDir)).certificate.serialNumber;
  remote.answers.push(() => refusal(410, "claim_expired", "The claim has expired."));
  assert.deepEqual(await enroll(), { code: 1, out: "", err: "claim_expired: The claim has expired.\n" });
  assert.equal((await loadIdentity(stateDir)).certificate.serialNumber, before);
  assert.equal((await enroll()).code, 0);
  const { createPublicKey } = await import("node:crypto");
  const { Pkcs10CertificateRequest } = await import("@peculiar/x509");
  const keys = remote.requests.slice(1).map(({ body }) => new Pkcs10CertificateRequest(body.csr).publicKey.rawData);
  assert.deepEqual(keys[0], keys[1]);
  const kept = createPublicKey((await loadIdentity(stateDir)).keyPem).export({ format: "der", type: "spki" });
  assert.deepEqual(kept, Buffer.from(keys[1]!));
});
