import { randomBytes } from "node:crypto";
import mqtt from "mqtt";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import type { Caller } from "../../src/access/access.ts";
import type { HttpAnswer } from "./http/http-answer.ts";
import { https } from "./http/https.ts";
import type { TestServer } from "./server.ts";

/** A tenant with a device type that publishes on `t/<slug>/telemetry/<id>`, and a caller with all rights in it. */
export interface TestTenant {
  slug: string;
  caller: Caller;
  deviceTypeId: string;
  admin: { id: string; email: string };
}

export async function newTenant(server: TestServer, slug = randomSlug()): Promise<TestTenant> {
  const { access, devices } = server.app;
  await access.createTenant({ slug, name: `Tenant ${slug}` });
  const caller = await access.systemCaller(slug);
  const { id, email } = await access.createUser(await access.systemCaller(slug), {
    email: `admin@${slug}.example`,
    role: "admin",
  });
  const type = await devices.createDeviceType(caller, { name: "Pump", publishTopics: ["telemetry/{deviceId}"] });
  return { slug, caller, deviceTypeId: type.id, admin: { id, email } };
}

/** Creates an API key of the tenant's admin, as the CLI does. */
export async function newKey(server: TestServer, tenant: TestTenant, ...scopes: string[]): Promise<string> {
  const made = await server.app.access.createKey(await server.app.access.systemCaller(tenant.slug), {
    user: tenant.admin.email,
    name: "test",
    scopes,
  });
  return made.key;
}

/** The credentials of an enrolled device. */
export interface TestDevice {
  deviceId: string;
  key: string;
  cert: string;
  chain: string;
  fullchain: string;
  ca: string;
  topic: string;
  fingerprint: string;
}

/** Returns the redemption request of spec 2.2 with a fresh key. Any field may be overridden. */
export async function redemption(claimCode: string, overrides: Record<string, unknown> = {}) {
  const key = await makeKey();
  const body = {
    claimCode,
    hardwareFingerprint: `hw-${randomBytes(8).toString("hex")}`,
    hardwareModel: "Pump 3000",
    agentVersion: "1.0.0",
    csr: makeCsr(key),
    ...overrides,
  };
  return { key, body };
}

/** POSTs a redemption, over mTLS with `proof`'s certificate if given. */
export function redeem(
  server: TestServer,
  body: unknown,
  proof?: Pick<TestDevice, "fullchain" | "key">,
): Promise<HttpAnswer> {
  return https(`${server.httpUrl}/api/provisioning/claim`, {
    body,
    ca: server.ca,
    cert: proof?.fullchain,
    key: proof?.key,
  });
}

/** POSTs a renewal for `device` with `csr`, by default for a fresh key. */
export async function renew(server: TestServer, device: TestDevice): Promise<{ answer: HttpAnswer; key: string }> {
  const key = await makeKey();
  const answer = await https(`${server.httpUrl}/api/provisioning/cert/renew`, {
    body: { csr: makeCsr(key) },
    ca: server.ca,
    cert: device.fullchain,
    key: device.key,
  });
  return { answer, key };
}

/** Enrolls one device over HTTPS with its own claim. */
export async function enrollDevice(
  server: TestServer,
  tenant: TestTenant,
  overrides: Record<string, unknown> = {},
): Promise<TestDevice> {
  const claim = await server.app.enrollment.createClaim(tenant.caller, {
    intendedName: "Test pump",
    intendedDeviceTypeId: tenant.deviceTypeId,
  });
  const { key, body } = await redemption(claim.claimCode, overrides);
  const answer = await redeem(server, body);
  if (answer.status !== 200) throw new Error(`redemption: ${answer.status} ${answer.text}`);
  const { deviceId, mqtt: given } = answer.json;
  return {
    deviceId,
    key,
    cert: given.clientCert,
    chain: given.clientCertChain,
    fullchain: given.clientCert + given.clientCertChain,
    ca: given.serverCaBundle,
    topic: given.publishTopics[0],
    fingerprint: String(body.hardwareFingerprint),
  };
}

/** Connects with mqtt.js, without reconnecting. Rejects with the reason if the broker refuses or disconnects first. */
export function connectMqtt(
  server: Pick<TestServer, "mqttPort">,
  device: Pick<TestDevice, "deviceId" | "fullchain" | "key" | "ca">,
  options: mqtt.IClientOptions = {},
  prepare: (client: mqtt.MqttClient) => void = () => undefined,
): Promise<mqtt.MqttClient> {
  const client = mqtt.connect({
    protocol: "mqtts",
    host: "localhost",
    port: server.mqttPort,
    clientId: device.deviceId,
    cert: device.fullchain,
    key: device.key,
    ca: device.ca,
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: 60_000,
    ...options,
  });
  prepare(client);
  // Errors after the session has opened, such as a reset when the broker closes it, do not concern this promise.
  client.on("error", () => undefined);
  return new Promise((resolve, reject) => {
    client.once("connect", () => resolve(client));
    client.once("error", (error) => {
      client.end(true);
      reject(error);
    });
    client.once("close", () => reject(new Error("closed before CONNACK")));
  });
}

/** Resolves when `client`'s connection has closed. */
export function closed(client: mqtt.MqttClient): Promise<void> {
  return new Promise((resolve) => {
    if (!client.connected) resolve();
    else client.once("close", () => resolve());
  });
}

/** The slug has no digits: mails leave out a tenant's name with seven digits because it may be a telephone number. */
function randomSlug(): string {
  return randomBytes(4)
    .toString("hex")
    .replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!);
}
