import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import { type Authority, newAuthority } from "./authority.ts";
import { RemoteBroker } from "./broker.ts";

export interface RemoteRequest {
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was sent
  body: any;
  /** The serial of the verified client certificate, or undefined. */
  serial: string | undefined;
}

/** An answer of the remote party; "hang up" closes without one. */
export type RemoteAnswer = { status: number; body: unknown; headers?: Record<string, string> } | "hang up";

/** A remote service as the specification describes it to a device: two HTTPS endpoints and a broker. */
export interface RemoteService {
  url: string;
  /** The CA bundle that verifies the HTTPS server. */
  caPem: string;
  authority: Authority;
  broker: RemoteBroker;
  brokerPort: number;
  requests: RemoteRequest[];
  /** Serials of revoked certificates. */
  revoked: Set<string>;
  /** Answers to the next requests, before the ordinary ones. */
  answers: Array<(request: RemoteRequest) => Promise<RemoteAnswer> | RemoteAnswer>;
  ordinary(request: RemoteRequest): Promise<RemoteAnswer>;
  /** Days of validity of certificates issued from now on. */
  days: number;
  close(): Promise<void>;
}

export const DEVICE_ID = "dev-1";
export const TOPIC = `t/acme/telemetry/${DEVICE_ID}`;

export async function startRemote(): Promise<RemoteService> {
  const authority = await newAuthority();
  const tls = await authority.server();
  const broker = new RemoteBroker({ ...tls, clientCa: authority.rootPem });
  const brokerPort = await broker.listen();
  const remote = {
    authority,
    broker,
    brokerPort,
    requests: [],
    answers: [],
    revoked: new Set(),
    days: 30,
  } as unknown as RemoteService;
  broker.accept = (clientId, serial) => clientId === DEVICE_ID && !remote.revoked.has(serial);
  const server = await listen(remote, tls, authority.rootPem);
  remote.url = `https://localhost:${(server.address() as { port: number }).port}`;
  remote.caPem = authority.rootPem;
  remote.ordinary = (request) => answer(remote, request);
  remote.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await broker.close();
  };
  return remote;
}

function listen(remote: RemoteService, tls: { cert: string; key: string }, ca: string): Promise<Server> {
  const server = createServer({ ...tls, ca, requestCert: true, rejectUnauthorized: false }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const socket = req.socket as TLSSocket;
    const serial = socket.authorized ? socket.getPeerCertificate().serialNumber.toLowerCase() : undefined;
    const request = { path: req.url!, body: JSON.parse(Buffer.concat(chunks).toString()), serial };
    remote.requests.push(request);
    const result = await (remote.answers.shift() ?? remote.ordinary)(request);
    if (result === "hang up") return void socket.destroy();
    res.writeHead(result.status, { "content-type": "application/json", ...result.headers });
    res.end(typeof result.body === "string" ? result.body : JSON.stringify(result.body));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Returns the ordinary answer of spec 2.3. */
async function answer(remote: RemoteService, request: RemoteRequest): Promise<RemoteAnswer> {
  const renewal = request.path === "/api/provisioning/cert/renew";
  if (renewal && (request.serial === undefined || remote.revoked.has(request.serial))) {
    return refusal(401, "cert_invalid", "The certificate is revoked or unknown.");
  }
  const { certPem, expiresAt } = await remote.authority.issue(request.body.csr, DEVICE_ID, remote.days);
  if (renewal) remote.revoked.add(request.serial!);
  const issued = {
    clientCert: certPem,
    clientCertChain: remote.authority.chainPem,
    serverCaBundle: remote.authority.rootPem,
  };
  const dates = {
    certExpiresAt: expiresAt.toISOString(),
    renewAfterUtc: new Date(expiresAt.getTime() - 9 * 86_400_000).toISOString(),
  };
  if (renewal) return { status: 200, body: { ...issued, ...dates } };
  const mqtt = {
    brokerUrl: `mqtts://localhost:${remote.brokerPort}`,
    ...issued,
    topicPrefix: "t/acme",
    publishTopics: [TOPIC],
  };
  const body = { deviceId: DEVICE_ID, mqtt, ...dates, renewalEndpoint: "/api/provisioning/cert/renew" };
  return { status: 200, body };
}

export function refusal(status: number, error: string, message: string, headers: Record<string, string> = {}) {
  return { status, headers, body: { error, middleware: "handler", message, requestId: "req-1" } };
}
