import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentError, adviceFor, loadCandidate, loadIdentity, renew } from "../src/index.ts";
import { refusal } from "./remote/service.ts";
import { enrolled } from "./remote/setup.ts";

const serialOf = async (stateDir: string) => (await loadIdentity(stateDir)).certificate.serialNumber.toLowerCase();
const code = (wanted: string) => (error: AgentError) => error.code === wanted;

test("renewal presents the certificate, takes a new key, and commits after connecting with it", async (t) => {
  const { remote, stateDir, identity } = await enrolled(t);
  const before = await serialOf(stateDir);
  const renewed = await renew({ stateDir });
  const [, request] = remote.requests;
  assert.equal(request!.path, "/api/provisioning/cert/renew");
  assert.equal(request!.serial, before);
  assert.notEqual(renewed.keyPem, identity.keyPem);
  assert.deepEqual(remote.broker.connects, [
    { clientId: "dev-1", serial: await serialOf(stateDir), clean: true, version: 5 },
  ]);
  assert.deepEqual(renewed.device.publishTopics, identity.device.publishTopics);
  assert.equal(await loadCandidate(stateDir), undefined);
});

test("a certificate that cannot connect does not replace the old one, and is retried instead of requesting another", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const before = await serialOf(stateDir);
  remote.broker.accept = () => false;
  await assert.rejects(renew({ stateDir }), code("refused"));
  assert.equal(await serialOf(stateDir), before);
  assert.ok(await loadCandidate(stateDir));
  remote.broker.accept = () => true;
  await renew({ stateDir });
  assert.notEqual(await serialOf(stateDir), before);
  assert.equal(remote.requests.length, 2);
});

test("after a lost answer the refusal of the retry explains the cause and the remedy", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  remote.answers.push(async (request) => {
    await remote.ordinary(request);
    return "hang up" as const;
  });
  await assert.rejects(renew({ stateDir }), code("unreachable"));
  await assert.rejects(renew({ stateDir }), (error: AgentError) => {
    assert.equal(error.status, 401);
    assert.match(error.message, /earlier renewal got no answer/);
    assert.match(adviceFor(error)!, /administrator/);
    return error.code === "cert_invalid";
  });
});

test("a refusal without a lost answer does not mention one", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  remote.answers.push(() => refusal(502, "issuance_failed", "Later."));
  await assert.rejects(renew({ stateDir }), code("issuance_failed"));
  remote.revoked.add(await serialOf(stateDir));
  await assert.rejects(renew({ stateDir }), (error: AgentError) => !/earlier renewal/.test(error.message));
});

test("topics in the answer of a renewal replace the recorded ones", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  remote.answers.push(async (request) => {
    // biome-ignore lint/suspicious/noExplicitAny: adds one field to the answer
    const answer = (await remote.ordinary(request)) as any;
    return { ...answer, body: { ...answer.body, publishTopics: ["t/acme/other/dev-1"] } };
  });
  const renewed = await renew({ stateDir });
  assert.deepEqual(renewed.device.publishTopics, ["t/acme/other/dev-1"]);
});
