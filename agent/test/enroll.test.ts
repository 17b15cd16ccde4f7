import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { type AgentError, adviceFor, enroll, loadIdentity } from "../src/index.ts";
import { refusal } from "./remote/service.ts";
import { enrolled, enrollment, setup } from "./remote/setup.ts";

const code = (wanted: string) => (error: AgentError) => error.code === wanted;

test("enrollment writes six state files, the key readable by the owner only", async (t) => {
  const { stateDir, identity } = await enrolled(t);
  const read = (name: string) => readFile(join(stateDir, name), "utf8");
  const [cert, chain, full] = await Promise.all(["cert.pem", "chain.pem", "fullchain.pem"].map(read));
  assert.equal(full, cert! + chain);
  assert.equal((await stat(join(stateDir, "key.pem"))).mode & 0o777, 0o600);
  assert.equal((await stat(stateDir)).mode & 0o777, 0o700);
  assert.match(await read("ca.pem"), /BEGIN CERTIFICATE/);
  assert.equal(JSON.parse(await read("device.json")).deviceId, identity.device.deviceId);
  assert.deepEqual(await loadIdentity(stateDir).then((one) => one.device), identity.device);
});

test("the request carries the fields of the specification and never the key", async (t) => {
  const { remote, stateDir } = await setup(t);
  await enroll({ ...enrollment(remote, stateDir), agentCapabilities: ["buffering"], reportedMacAddress: "02:00" });
  const [request] = remote.requests;
  assert.equal(request!.path, "/api/provisioning/claim");
  const { csr, ...rest } = request!.body;
  assert.match(csr, /^-----BEGIN CERTIFICATE REQUEST-----/);
  assert.deepEqual(rest, {
    claimCode: "CLAIM-AAAA-BBBB-CCCC",
    hardwareFingerprint: "hw-1",
    hardwareModel: "Pump 3000",
    agentVersion: "0.1.0",
    agentCapabilities: ["buffering"],
    reportedMacAddress: "02:00",
  });
  assert.doesNotMatch(JSON.stringify(request!.body), /PRIVATE/);
});

test("a first enrollment presents no certificate, and a second one presents the first's as proof", async (t) => {
  const { remote, stateDir, identity } = await enrolled(t);
  await enroll(enrollment(remote, stateDir));
  assert.equal(remote.requests[0]!.serial, undefined);
  assert.equal(remote.requests[1]!.serial, identity.certificate.serialNumber.toLowerCase());
});

test("a refusal is thrown with the server's code and changes nothing", async (t) => {
  const { remote, stateDir } = await setup(t);
  remote.answers.push(() => refusal(410, "claim_expired", "The claim has expired."));
  await assert.rejects(enroll(enrollment(remote, stateDir)), (error: AgentError) => {
    assert.equal(error.status, 410);
    assert.equal(error.requestId, "req-1");
    return error.code === "claim_expired";
  });
  await assert.rejects(loadIdentity(stateDir), code("not_enrolled"));
  assert.equal(remote.requests.length, 1);
});

test("an overloaded server is asked again with the same key, after its Retry-After", async (t) => {
  const { remote, stateDir } = await setup(t);
  const waits: number[] = [];
  remote.answers.push(
    () => refusal(429, "rate_limited", "Too many.", { "retry-after": "7" }),
    () => refusal(502, "issuance_failed", "Later."),
  );
  const options = enrollment(remote, stateDir);
  await enroll({ ...options, runtime: { ...options.runtime!, sleep: async (ms) => void waits.push(ms) } });
  assert.equal(waits[0], 7000);
  assert.equal(waits.length, 2);
  assert.equal(remote.requests.length, 3);
});

test("after a lost answer the same key is used again, and the subsequent refusal is explained", async (t) => {
  const { remote, stateDir } = await setup(t);
  const { X509Certificate } = await import("node:crypto");
  const lost: string[] = [];
  remote.answers.push(async (request) => {
    const { certPem } = await remote.authority.issue(request.body.csr, "dev-1");
    lost.push(certPem);
    return "hang up" as const;
  });
  await assert.rejects(enroll({ ...enrollment(remote, stateDir), attempts: 1 }), code("unreachable"));
  remote.answers.push(() => refusal(409, "claim_exhausted", "No uses left."));
  await assert.rejects(enroll(enrollment(remote, stateDir)), (error: AgentError) => {
    assert.match(adviceFor(error)!, /got no answer/);
    return error.code === "claim_exhausted";
  });
  await enroll(enrollment(remote, stateDir));
  const identity = await loadIdentity(stateDir);
  const spki = (pem: string) => new X509Certificate(pem).publicKey.export({ format: "der", type: "spki" });
  assert.deepEqual(identity.certificate.publicKey.export({ format: "der", type: "spki" }), spki(lost[0]!));
});

test("a certificate that does not name the address is reported as such, and the advice is not about the CA file", async (t) => {
  const { remote, stateDir } = await setup(t);
  const elsewhere = { ...enrollment(remote, stateDir), server: remote.url.replace("localhost", "127.0.0.1") };
  const isReported = (error: AgentError) => {
    assert.match(error.message, /^The certificate of 127\.0\.0\.1:\d+ was not accepted: .*altnames/);
    assert.match(adviceFor(error)!, /does not name this address.*MUSTER_PUBLIC_HOST/);
    assert.doesNotMatch(adviceFor(error)!, /--ca/);
    return error.code === "untrusted_server";
  };
  await assert.rejects(enroll(elsewhere), isReported);
  assert.equal(remote.requests.length, 0);
  remote.answers.push(() => "hang up");
  await assert.rejects(enroll({ ...enrollment(remote, stateDir), attempts: 1 }), code("unreachable"));
  await assert.rejects(enroll(elsewhere), isReported);
});

test("a port with another protocol is reported with the question whether it is the HTTPS port", async (t) => {
  const { remote, stateDir } = await setup(t);
  const plain = createServer((socket) => void socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  await new Promise<void>((listening) => plain.listen(0, "127.0.0.1", listening));
  t.after(() => plain.close());
  for (const port of [remote.brokerPort, (plain.address() as AddressInfo).port]) {
    const options = { ...enrollment(remote, stateDir), server: `https://localhost:${port}`, attempts: 1 };
    await assert.rejects(enroll(options), (error: AgentError) => {
      assert.match(error.message, /^localhost:\d+: .*\. Is it the HTTPS port\?$/s);
      return error.code === "unreachable";
    });
  }
});

test("a claim code is not sent to an untrusted server", async (t) => {
  const { remote, stateDir } = await setup(t);
  const { caPem: _, ...withoutCa } = enrollment(remote, stateDir);
  await assert.rejects(enroll(withoutCa), (error: AgentError) => {
    assert.match(adviceFor(error)!, /pass --ca/);
    return error.code === "untrusted_server";
  });
  assert.equal(remote.requests.length, 0);
});

test("plain http is refused before anything is sent or written", async (t) => {
  const { remote, stateDir } = await setup(t);
  const options = { ...enrollment(remote, stateDir), server: "http://localhost:1" };
  await assert.rejects(enroll(options), code("bad_argument"));
  await assert.rejects(stat(stateDir));
});

test("certificates for another key, device or issuer are not stored", async (t) => {
  const { remote, stateDir } = await setup(t);
  const { makeCsr, makeKey } = await import("../src/index.ts");
  const otherKey = makeCsr(await makeKey());
  const tamper = (change: (csr: string) => Promise<Record<string, unknown>>) => {
    remote.answers.push(async (request) => {
      // biome-ignore lint/suspicious/noExplicitAny: the answer's shape is the test's subject
      const good = (await remote.ordinary(request)) as any;
      Object.assign(good.body.mqtt, await change(request.body.csr));
      return good;
    });
  };
  const issue = async (csr: string, id: string) => (await remote.authority.issue(csr, id)).certPem;
  tamper(async () => ({ clientCert: await issue(otherKey, "dev-1") }));
  tamper(async (csr) => ({ clientCert: await issue(csr, "dev-2") }));
  tamper(async () => ({ clientCertChain: remote.authority.rootPem }));
  tamper(async () => ({ serverCaBundle: "nonsense" }));
  tamper(async () => ({ clientCert: undefined }));
  for (let i = 0; i < 5; i++) {
    await assert.rejects(enroll(enrollment(remote, stateDir)), code("bad_response"));
    await assert.rejects(loadIdentity(stateDir), code("not_enrolled"));
  }
});

test("an answer that is not JSON gives bad_response", async (t) => {
  const { remote, stateDir } = await setup(t);
  remote.answers.push(() => ({ status: 200, body: "<html>" }));
  await assert.rejects(enroll(enrollment(remote, stateDir)), code("bad_response"));
  remote.answers.push(() => ({ status: 403, body: "<html>" }));
  await assert.rejects(enroll(enrollment(remote, stateDir)), code("http_403"));
});
