import { isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { SECOND } from "../lib/clock.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { NatsSettings } from "../lib/nats/nats-settings.ts";
import type { StreamSettings } from "../lib/nats/stream-settings.ts";
import { listed } from "./lists.ts";
import type { Given } from "./parse.ts";

/** The oldest NATS server release line with security fixes at the time of writing. */
const VERSION_FLOOR = "2.10";
/** The maximum size of a message's head, before its payload: topic, tenant, properties, owners of stored sessions. */
const HEAD_BYTES = 64 * 1024;

/** A smaller stream would contain only a few batches. */
const MIN_STREAM_BYTES = 1024 ** 2;

const SESSION_RANGE = "must be a number of seconds, 0 to 3600";

const SERVER = /^(nats|tls):\/\/((?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?)\/?$/;

const file = z.string().min(1).optional();

export const natsVariables = {
  MUSTER_NATS_URL: z.string().transform(listed).superRefine(checkServers).optional(),
  MUSTER_NATS_CREDENTIALS_FILE: file,
  MUSTER_NATS_CA_FILE: file,
  MUSTER_NATS_CERT_FILE: file,
  MUSTER_NATS_KEY_FILE: file,
  MUSTER_INGEST: z.enum(["direct", "stream"], "must be direct or stream").default("direct"),
  MUSTER_NATS_REPLICAS: z.enum(["1", "3", "5"], "must be 1, 3 or 5").optional(),
  MUSTER_NATS_STREAM_BYTES: z.coerce
    .number("must be a number of bytes")
    .int("must be a whole number of bytes")
    .min(MIN_STREAM_BYTES, `must be at least ${MIN_STREAM_BYTES}`)
    .default(4 * 1024 ** 3),
  MUSTER_STREAM_SESSION_SECONDS: z.coerce
    .number("must be a number of seconds")
    .int("must be a whole number of seconds")
    .min(0, SESSION_RANGE)
    .max(3600, SESSION_RANGE)
    .default(900),
  /** For tests with the distribution's own server. */
  MUSTER_TEST_NATS_VERSION_FLOOR: z
    .string()
    .regex(/^\d+\.\d+$/)
    .default(VERSION_FLOOR),
};

type Parsed = z.infer<z.ZodObject<typeof natsVariables>>;

/** Returns conflicts among the NATS settings and with other settings of the service, and unsafe combinations. */
export function natsProblems(given: Given): string[] {
  const { MUSTER_NATS_URL: url, MUSTER_NATS_CERT_FILE: cert } = given;
  if (url === undefined) {
    const lone = Object.keys(given).filter((name) => /^MUSTER_NATS_/.test(name));
    if (given.MUSTER_INGEST === "stream") lone.push("MUSTER_INGEST=stream");
    return lone.map((name) => `${name} requires MUSTER_NATS_URL, which is not set`);
  }
  const problems: string[] = [];
  if (!given.MUSTER_DATABASE_URL)
    problems.push("MUSTER_NATS_URL needs MUSTER_DATABASE_URL: services on several machines share one PostgreSQL");
  problems.push(...natsServerProblems(given));
  if (!listed(url).every(isLoopback) && !given.MUSTER_NATS_CREDENTIALS_FILE && !cert)
    problems.push(
      "MUSTER_NATS_URL needs MUSTER_NATS_CREDENTIALS_FILE, or MUSTER_NATS_CERT_FILE and MUSTER_NATS_KEY_FILE: otherwise any publisher there could send messages to every tenant",
    );
  return problems;
}

/** Returns only the problems that concern the servers, which are set up before a service. */
export function natsServerProblems(given: Given): string[] {
  const { MUSTER_NATS_URL: url = "", MUSTER_NATS_CERT_FILE: cert, MUSTER_NATS_KEY_FILE: key } = given;
  const problems: string[] = [];
  if (!cert !== !key)
    problems.push("MUSTER_NATS_CERT_FILE and MUSTER_NATS_KEY_FILE belong together: set both or neither");
  if (!listed(url).every(isLoopback) && !url.includes("tls://"))
    problems.push(
      "MUSTER_NATS_URL must begin with tls:// if a server is on another machine: every message crosses the network",
    );
  return problems;
}

/** The settings of the NATS servers, for their configuration. */
export interface NatsServers {
  /** `nats-1.example:4222`, or without a port; empty if none is set. */
  servers: readonly string[];
  tls: boolean;
  credentialsFile: string | undefined;
  /** Whether services present a client certificate to the servers. */
  verifyClients: boolean;
  /** The length in bytes of the longest message that the servers must accept. */
  payloadBytes: number;
  /** The size of the ingest stream in bytes; undefined if none is used. */
  streamBytes: number | undefined;
}

/** Returns the settings for which `muster nats config` prints a configuration. */
export function natsServers(env: Parsed, limits: Pick<Limits, "mqttPacketBytes">): NatsServers {
  const settings = natsSettings(env, limits);
  return {
    servers: settings?.servers ?? [],
    tls: settings?.tls ?? true,
    credentialsFile: absolute(env.MUSTER_NATS_CREDENTIALS_FILE),
    verifyClients: env.MUSTER_NATS_CERT_FILE !== undefined,
    payloadBytes: natsPayloadBytes(limits),
    streamBytes: env.MUSTER_INGEST === "stream" ? env.MUSTER_NATS_STREAM_BYTES : undefined,
  };
}

/** Returns the NATS settings; undefined if NATS is not configured. */
export function natsSettings(env: Parsed, limits: Pick<Limits, "mqttPacketBytes">): NatsSettings | undefined {
  const urls = env.MUSTER_NATS_URL;
  if (!urls) return undefined;
  return {
    servers: urls.map((url) => SERVER.exec(url)![2]!),
    tls: urls[0]!.startsWith("tls:"),
    credentialsFile: absolute(env.MUSTER_NATS_CREDENTIALS_FILE),
    caFile: absolute(env.MUSTER_NATS_CA_FILE),
    certFile: absolute(env.MUSTER_NATS_CERT_FILE),
    keyFile: absolute(env.MUSTER_NATS_KEY_FILE),
    versionFloor: env.MUSTER_TEST_NATS_VERSION_FLOOR,
    payloadBytes: natsPayloadBytes(limits),
  };
}

/** Returns the settings of the ingest stream; undefined without NATS. */
export function streamSettings(env: Parsed, nats: NatsSettings | undefined): StreamSettings | undefined {
  if (nats === undefined) return undefined;
  const replicas = Number(env.MUSTER_NATS_REPLICAS ?? (nats.servers.length >= 3 ? 3 : 1));
  return {
    wanted: env.MUSTER_INGEST,
    nats,
    maxBytes: env.MUSTER_NATS_STREAM_BYTES,
    replicas,
    sessionsMs: env.MUSTER_STREAM_SESSION_SECONDS * SECOND,
  };
}

/** Returns the length in bytes of the longest message that a NATS server must accept. */
function natsPayloadBytes({ mqttPacketBytes }: Pick<Limits, "mqttPacketBytes">): number {
  return mqttPacketBytes + HEAD_BYTES;
}

function checkServers(urls: string[], context: z.RefinementCtx): void {
  if (urls.length === 0)
    context.addIssue("must list servers, such as tls://nats-1.example:4222,tls://nats-2.example:4222");
  for (const url of urls) {
    const problem = serverProblem(url);
    if (problem !== undefined) context.addIssue(`has an entry which ${problem}`);
  }
  if (new Set(urls.map((url) => url.split(":")[0])).size > 1)
    context.addIssue("mixes nats:// and tls://: either all connections are encrypted, or none");
}

function serverProblem(url: string): string | undefined {
  // The part before an @ is a secret and must not be echoed.
  if (url.includes("@")) return "has a user in it: put the credentials into MUSTER_NATS_CREDENTIALS_FILE";
  if (!SERVER.test(url)) return `is not an address like tls://nats-1.example:4222: ${url}`;
  if (url.startsWith("tls:") && isIP(hostOf(url)) !== 0)
    return `has an IP address: ${url}. A server's certificate names its host: use the host name`;
  return undefined;
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(hostOf(url));
}

function hostOf(url: string): string {
  const address = SERVER.exec(url)?.[2] ?? "";
  return address.replace(/:\d{1,5}$/, "").replace(/^\[(.*)\]$/, "$1");
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}
