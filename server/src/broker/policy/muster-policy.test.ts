import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { rootCertificates } from "node:tls";
import type { Refusal } from "../../connections/connections.ts";
import { createLogger } from "../../lib/logger.ts";
import { chainProblem } from "./chain-problem.ts";
import { createMusterPolicy, type PolicyDeps } from "./muster-policy.ts";
import { type CertificateCredential, type ConnectDecision, ownerOf, type Principal } from "./policy.ts";

/** Certificates that signed themselves: each is its own issuer, and none of another. */
const [ONE, OTHER, THIRD] = rootCertificates.slice(0, 3).map((pem) => new X509Certificate(pem).raw) as [
  Buffer,
  Buffer,
  Buffer,
];

/** The name of the device in a refusal. */
const SUBJECT = { tenantId: "tenant", deviceId: "pump-1", serialNumber: "0a" };
const PUMP = {
  ...SUBJECT,
  ok: true,
  tenantSlug: "acme",
  deviceUid: "uid",
  certificateId: "certificate",
  fingerprintSha256: "ff",
  publishTopics: ["t/acme/telemetry/pump-1"],
  subscribeTopics: ["t/acme/commands/pump-1"],
};
const GATEWAY = {
  mqttClientId: "client",
  clientId: "gw",
  tenantId: "tenant",
  tenantSlug: "acme",
  publishTopics: ["t/acme/x"],
  subscribeFilters: ["t/acme/#"],
};

const CERTIFICATE: CertificateCredential = { kind: "certificate", der: ONE, verified: true };
const REQUEST = { clientId: "pump-1", remoteAddress: "192.0.2.1", credential: CERTIFICATE };

/** The answers of the features, by default those to a known device and a known MQTT client. */
interface Answers {
  device?: unknown;
  client?: unknown;
  opened?: object;
  fails?: boolean;
}

/** Returns the policy over features that give `answers`, and what it asked and recorded. */
function policyOver({ device = PUMP, client = { ok: true, principal: GATEWAY }, opened = {}, fails = false }: Answers) {
  const refused: Refusal[] = [];
  const counted: string[] = [];
  const done: unknown[][] = [];
  const recording =
    (name: string) =>
    (...args: unknown[]) =>
      void done.push([name, ...args]);
  const answer = async (value: unknown) => {
    if (fails) throw new Error("away");
    return value;
  };
  const deps = {
    certificates: { identifyDevice: () => answer(device) },
    authorities: { intermediatesDer: () => [ONE] },
    connections: {
      authenticateMqttClient: () => answer(client),
      recordRefusal: (refusal: Refusal) => refused.push(refusal),
      tenantOfDevice: async () => undefined,
      openSession: async (session: object) => {
        done.push(["openSession", session]);
        return opened;
      },
      closeSession: recording("closeSession"),
    },
    commands: {
      waitingCommands: async (request: object) => [request],
      acknowledgeCommand: async (id: string) => recording("acknowledgeCommand")(id),
    },
    telemetry: { ingest: async (message: object) => recording("ingest")(message) },
    metrics: {
      refusals: { inc: ({ reason }: { reason: string }) => counted.push(reason) },
      connections: { inc: recording("inc"), dec: recording("dec") },
    },
    logger: createLogger("silent"),
  } as unknown as PolicyDeps;
  return { policy: createMusterPolicy(deps), refused, counted, done };
}

async function connected(answers: Answers = {}, request: object = {}): Promise<Principal> {
  const decision = await policyOver(answers).policy.authorizeConnect({ ...REQUEST, ...request });
  assert.ok(decision.allow);
  return decision.principal;
}

const GATEWAY_REQUEST = { clientId: "gw", credential: { kind: "password", username: "u", password: "p" } } as const;
const pump = () => connected();
const gateway = () => connected({}, GATEWAY_REQUEST);

/** Returns the decision about a CONNECT, and the refusals that it recorded. */
async function refusal(answers: Answers, request: object = {}): Promise<[ConnectDecision, Refusal[]]> {
  const { policy, refused, counted } = policyOver(answers);
  const decision = await policy.authorizeConnect({ ...REQUEST, ...request });
  assert.deepEqual(counted, decision.allow ? [] : [decision.reason]);
  return [decision, refused];
}

test("a device is connected under its own id, with the topics of its certificate", async () => {
  const { subscribeFilters, ...principal } = await pump();
  assert.deepEqual(
    ["commands/pump-1", "#"].map((name) => subscribeFilters.covers(`t/acme/${name}`)),
    [true, false],
  );
  assert.deepEqual(principal, {
    tenantId: "tenant",
    tenantSlug: "acme",
    clientId: "pump-1",
    deviceUid: "uid",
    certificateId: "certificate",
    serialNumber: "0a",
    mqttClientId: undefined,
    publishTopics: new Set(["t/acme/telemetry/pump-1"]),
  });
  assert.equal((await connected({}, { willTopic: "t/acme/telemetry/pump-1" })).clientId, "pump-1");
});

test("another client id, a foreign will topic and missing credentials are refused and recorded", async () => {
  const { remoteAddress } = REQUEST;
  assert.deepEqual(await refusal({}, { clientId: "Pump-1" }), [
    { allow: false, reason: "client_id_mismatch", answer: "identifier_rejected" },
    [{ reason: "client_id_mismatch", clientId: "Pump-1", remoteAddress, ...SUBJECT, fingerprintSha256: "ff" }],
  ]);
  const topic = "t/acme/telemetry/pump-2";
  assert.deepEqual(await refusal({}, { willTopic: topic }), [
    { allow: false, reason: "topic_not_authorised", answer: "not_authorized" },
    [{ reason: "topic_not_authorised", clientId: "pump-1", remoteAddress, ...SUBJECT, topic }],
  ]);
  assert.deepEqual(await refusal({}, { credential: { kind: "none" } }), [
    { allow: false, reason: "no_credentials", answer: "not_authorized" },
    [{ reason: "no_credentials", clientId: "pump-1", remoteAddress, tlsVersion: undefined }],
  ]);
});

test("a certificate that is not accepted is refused with its reason; an unverified one with that of its chain", async () => {
  const [revoked] = await refusal({ device: { ok: false, reason: "revoked", tenantId: "tenant" } });
  assert.deepEqual(revoked, { allow: false, reason: "revoked", answer: "not_authorized" });
  const unverified = { ...CERTIFICATE, verified: false, verifyError: "CERT_NOT_YET_VALID" };
  const [early] = await refusal({ device: { ok: false, reason: "unverified" } }, { credential: unverified });
  assert.deepEqual(early, { allow: false, reason: "not_yet_valid", answer: "not_authorized" });
});

test("an MQTT client has its own rights; a wrong password and a suspension are different answers", async () => {
  const { mqttClientId, deviceUid, publishTopics, subscribeFilters } = await gateway();
  assert.deepEqual({ mqttClientId, deviceUid }, { mqttClientId: "client", deviceUid: undefined });
  assert.deepEqual(publishTopics, new Set(["t/acme/x"]));
  assert.deepEqual(
    ["t/acme/#", "t/acme/telemetry/+", "t/#"].map((each) => subscribeFilters.covers(each)),
    [true, true, false],
  );
  for (const [reason, answer] of [
    ["client_suspended", "not_authorized"],
    ["bad_credentials", "bad_credentials"],
  ]) {
    const [decision, refused] = await refusal({ client: { ok: false, reason, tenantId: "tenant" } }, GATEWAY_REQUEST);
    assert.deepEqual(decision, { allow: false, reason, answer });
    assert.equal(refused[0]!.tenantId, "tenant");
  }
});

test("without a database a CONNECT is refused and counted, and not recorded", async () => {
  assert.deepEqual(await refusal({ fails: true }), [
    { allow: false, reason: "unavailable", answer: "server_unavailable" },
    [],
  ]);
});

test("OpenSSL's codes become reasons; a missing intermediate is told from a foreign one by the signature", () => {
  const reasonOf = (verifyError?: string, der = ONE) =>
    chainProblem({ ...CERTIFICATE, der, verifyError }, [THIRD, ONE]);
  assert.equal(reasonOf("CERT_HAS_EXPIRED"), "expired");
  assert.equal(reasonOf("CERT_NOT_YET_VALID"), "not_yet_valid");
  for (const code of [
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ]) {
    assert.equal(reasonOf(code), "no_chain");
    assert.equal(reasonOf(code, OTHER), "wrong_ca");
    assert.equal(reasonOf(code, Buffer.from("no certificate")), "wrong_ca");
  }
  assert.equal(reasonOf("SELF_SIGNED_CERT_IN_CHAIN"), "wrong_ca");
  assert.equal(reasonOf(), "wrong_ca");
});

test("topics and filters are granted exactly; each refused one is recorded once, up to twenty", async () => {
  const { policy, refused, counted } = policyOver({});
  const principal = await pump();
  assert.equal(policy.mayPublish(principal, "t/acme/telemetry/pump-1"), true);
  assert.equal(policy.maySubscribe(principal, "t/acme/commands/pump-1"), true);
  assert.equal(policy.mayKeepSubscription(principal, "t/acme/commands/pump-1"), true);
  assert.equal(policy.mayKeepSubscription(principal, "#"), false);
  assert.deepEqual(counted, []);
  for (let round = 0; round < 2; round++)
    for (let n = 0; n < 11; n++) {
      assert.equal(policy.mayPublish(principal, `x/${n}`), false);
      assert.equal(policy.maySubscribe(principal, `y/${n}`), false);
    }
  policy.recordUnretained(principal, "z");
  assert.equal(counted.length, 45);
  assert.equal(refused.length, 20);
  assert.deepEqual(refused[0], {
    reason: "topic_not_authorised",
    clientId: "pump-1",
    tenantId: "tenant",
    deviceId: "pump-1",
    serialNumber: "0a",
    topic: "x/0",
  });
});

test("devices share nothing and store telemetry; MQTT clients share, and store none", async () => {
  const { policy, done } = policyOver({});
  const [device, client] = [await pump(), await gateway()];
  assert.deepEqual([policy.mayShare(device), policy.mayShare(client)], [false, true]);
  assert.deepEqual([policy.storesMessagesOf(device), policy.storesMessagesOf(client)], [true, false]);
  assert.equal(policy.mayReceive(client, "t/acme/x"), true);
  assert.equal(policy.mayReceive(client, "t/acmeter/x"), false);
  assert.equal(policy.mayReceive(client, "x/t/acme/"), false);
  const payload = Buffer.from("{}");
  for (const each of [client, device]) await policy.storeMessage(each, "topic", payload);
  assert.deepEqual(done, [
    [
      "ingest",
      { tenantId: "tenant", deviceUid: "uid", deviceId: "pump-1", topic: "topic", payload, arrival: undefined },
    ],
  ]);
  assert.deepEqual(await policy.waitingCommands(client, { limit: 3 } as never), { commands: [], more: false });
  assert.deepEqual(await policy.waitingCommands(device, { limit: 3 } as never), [{ limit: 3, deviceUid: "uid" }]);
  await policy.acknowledgeCommand("id");
  assert.deepEqual(done.at(-1), ["acknowledgeCommand", "id"]);
});

test("an opened session is counted by kind, and a predecessor in this process is replaced and recorded", async () => {
  const flags = { hasCommands: true, hasStored: false, hasWill: false };
  const session = { sessionId: "new", remoteAddress: "192.0.2.9" };
  const here = policyOver({ opened: { ...flags, previous: { here: true, sessionId: "old" } } });
  const opened = await here.policy.openSession(await pump(), session);
  assert.deepEqual(opened, { ...flags, replacedHere: "old", awaitReplaced: undefined });
  assert.deepEqual(here.counted, ["takeover"]);
  assert.equal(here.refused[0]!.remoteAddress, "192.0.2.9");
  assert.deepEqual(here.done[0], [
    "openSession",
    {
      ...session,
      clientId: "pump-1",
      tenantId: "tenant",
      deviceUid: "uid",
      certificateId: "certificate",
      mqttClientId: null,
    },
  ]);
  assert.deepEqual(here.done[1], ["inc", { kind: "device" }]);

  const elsewhere = policyOver({ opened: { ...flags, previous: { here: false, sessionId: "old" } } });
  assert.equal((await elsewhere.policy.openSession(await gateway(), session)).replacedHere, undefined);
  assert.deepEqual(elsewhere.counted, []);
  assert.deepEqual(elsewhere.done[1], ["inc", { kind: "client" }]);
  elsewhere.policy.closeSession(await gateway(), "new", "disconnected");
  assert.deepEqual(elsewhere.done.slice(2), [
    ["dec", { kind: "client" }],
    ["closeSession", "new", "disconnected"],
  ]);

  const ended = policyOver({ opened: { ...flags, ended: "revoked" } });
  assert.equal((await ended.policy.openSession(await pump(), session)).ended, "revoked");
  assert.equal(ended.done.length, 1, "a refused session is not counted");
});

test("a stored session belongs to the device or the MQTT client, not to the client id", async () => {
  assert.deepEqual([ownerOf(await pump()), ownerOf(await gateway())], ["uid", "client"]);
});

test("takeovers elsewhere and full tenants are recorded under the client", async () => {
  const { policy, refused } = policyOver({});
  const principal = await pump();
  policy.recordTakeover(principal, "192.0.2.7");
  policy.recordSessionQuota(principal, "192.0.2.8");
  const of = (reason: string, remoteAddress: string) => {
    return { reason, clientId: "pump-1", remoteAddress, tenantId: "tenant", deviceId: "pump-1", serialNumber: "0a" };
  };
  assert.deepEqual(refused, [of("takeover", "192.0.2.7"), of("session_quota", "192.0.2.8")]);
  policy.recordTakeover(await gateway(), "192.0.2.7");
  assert.equal(refused[2]!.deviceId, undefined, "an MQTT client is no device");
});

test("a client without a verified certificate is recorded under its tenant, for twenty of them at a time", async () => {
  const known = {
    ok: false,
    reason: "unverified",
    tenantId: "tenant",
    deviceId: "pump-1",
    serialNumber: "0a",
    fingerprintSha256: "ff",
  };
  const { policy, refused } = policyOver({ device: known });
  const unverified = { ...CERTIFICATE, verified: false, verifyError: "CERT_HAS_EXPIRED" };
  const { ok: _, ...concerned } = known;
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 21; n++) policy.recordUnverified(unverified, "192.0.2.1");
    await new Promise((resolve) => setImmediate(resolve));
  }
  const tenants = refused.map(({ tenantId }) => tenantId);
  assert.equal(tenants.filter((each) => each === undefined).length, 2, "one beyond the limit in each round");
  assert.deepEqual(refused.at(-1), { ...concerned, reason: "expired", remoteAddress: "192.0.2.1" });

  for (const answers of [{ fails: true }, { device: PUMP }]) {
    const other = policyOver(answers);
    other.policy.recordUnverified(unverified, "192.0.2.1");
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(other.refused, [
      { reason: "expired", remoteAddress: "192.0.2.1", ...undefinedFields(other.refused[0]!) },
    ]);
  }
});

/** A refusal may name absent fields. */
function undefinedFields(refusal: Refusal): object {
  return Object.fromEntries(Object.entries(refusal).filter(([, value]) => value === undefined));
}
