/**
 * The story of an integrator with the types of openapi-typescript: from a claim to a ticket.
 *
 * Environment: BASE_URL, API_KEY; NODE_EXTRA_CA_CERTS verifies the service. It prints one line of JSON.
 */
// @peculiar/x509 needs it first.
import "reflect-metadata";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import * as x509 from "@peculiar/x509";
import mqtt from "mqtt";
import createClient from "openapi-fetch";
import type { paths as devicePaths } from "./device.ts";
import type { components, paths } from "./public.ts";

const SECONDS = 20;
const { BASE_URL: baseUrl = "", API_KEY: key = "" } = process.env;
const api = createClient<paths>({ baseUrl, headers: { "X-API-Key": key } });
const provisioning = createClient<devicePaths>({ baseUrl });

/** Returns the answer's body, or throws the error. */
function must<T>({ data, error }: { data?: T; error?: components["schemas"]["Error"] }): T {
  if (error) throw new Error(`${error.error}: ${error.message} (request ${error.requestId})`);
  return data as T;
}

/** Returns the first result of `check` that is not undefined. */
async function until<T>(check: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + SECONDS * 1000;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error("nothing came in time");
    await delay(100);
  }
}

// A device type with a rule, and a claim for one device.
const pack = must(
  await api.POST("/api/v1/thresholds", {
    body: {
      name: "Bearings (TypeScript)",
      rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }],
    },
  }),
);
const type = must(
  await api.POST("/api/v1/device-types", {
    body: {
      name: "Pump (TypeScript)",
      publishTopics: ["telemetry/{deviceId}"],
      subscribeTopics: ["commands/{deviceId}"],
      thresholdIds: [pack.id],
    },
  }),
);
const claim = must(
  await api.POST("/api/v1/provisioning/claims", {
    body: { intendedName: "Pump (TypeScript)", intendedDeviceTypeId: type.id },
  }),
);

// The device makes its key and redeems the code.
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
const request = await x509.Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: algorithm });
const enrolled = must(
  await provisioning.POST("/api/provisioning/claim", {
    body: {
      claimCode: claim.claimCode,
      hardwareFingerprint: "SN-typescript",
      hardwareModel: "Pump 3000",
      agentVersion: "1.0",
      csr: request.toString("pem"),
    },
  }),
);
const { deviceId } = enrolled;
const { brokerUrl, clientCert, clientCertChain, serverCaBundle, publishTopics, subscribeTopics = [] } = enrolled.mqtt;

// It connects with its certificate.
const client = await mqtt.connectAsync(brokerUrl, {
  clientId: deviceId,
  protocolVersion: 5,
  ca: serverCaBundle,
  cert: clientCert + clientCertChain,
  key: x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY"),
});
const topic = subscribeTopics[0]!;
await client.subscribeAsync(topic, { qos: 1 });

// A command reaches it, and counts as acknowledged.
const received = new Promise<string>((resolve) => client.once("message", (_topic, payload) => resolve(`${payload}`)));
const command = must(
  await api.POST("/api/v1/devices/{id}/commands", {
    params: { path: { id: deviceId }, header: { "Idempotency-Key": "command-typescript" } },
    body: { topic, payload: '{"valve":"open"}' },
  }),
);
assert.equal(await received, '{"valve":"open"}');
const path = { id: deviceId, commandId: command.id };
await until(async () => {
  const { state } = must(await api.GET("/api/v1/devices/{id}/commands/{commandId}", { params: { path } }));
  return state === "acknowledged" || undefined;
});

// A reading over the limit opens an anomaly, which a person acknowledges and writes a ticket about.
await client.publishAsync(publishTopics[0]!, '{"temperature": 95}', { qos: 1 });
const anomaly = await until(
  async () => must(await api.GET("/api/v1/anomalies", { params: { query: { deviceId } } })).items[0],
);
assert.deepEqual([anomaly.severity, anomaly.value, anomaly.limit], ["major", 95, 90]);
const acknowledged = must(
  await api.POST("/api/v1/anomalies/{id}/acknowledge", {
    params: { path: { id: anomaly.id } },
    body: { comment: "On my way" },
  }),
);
assert.equal(acknowledged.status, "acknowledged");
const ticket = must(
  await api.POST("/api/v1/tickets", { body: { title: "Replace the bearing", anomalyId: anomaly.id } }),
);
assert.equal(ticket.deviceId, deviceId);
await client.endAsync();
console.log(JSON.stringify({ device: deviceId, ticket: ticket.number }));
