import { resolve } from "node:path";
import { z } from "zod";
import type { AddressRange } from "../lib/address.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { LogLevel } from "../lib/logger.ts";
import type { NatsSettings } from "../lib/nats/nats-settings.ts";
import type { StreamSettings } from "../lib/nats/stream-settings.ts";
import { Secret } from "../lib/secret.ts";
import { limitVariables, toLimits } from "./limits.ts";
import { addressRanges, webOrigins } from "./lists.ts";
import { natsProblems, natsSettings, natsVariables, streamSettings } from "./nats.ts";
import { type Given, givenIn, parsedAs, wholeNumber } from "./parse.ts";

export { ConfigError } from "./parse.ts";

/** The settings, parsed once at startup. No other file reads `process.env`; the checker enforces it. */
export interface Config {
  dataDir: string;
  /** The number of serving processes; `auto` is one per core if that is possible. */
  workers: number | "auto";
  http: { host: string; port: number };
  /**
   * `serverReference`: the address to which MQTT 5 clients are redirected once this process accepts no more
   * connections.
   */
  mqtt: { host: string; port: number; serverReference?: string | undefined };
  metrics: { host: string; port: number };
  publicHost: string;
  /** The addresses given to clients; by default they are composed of the public host and the listeners' ports. */
  baseUrl: string | undefined;
  brokerUrl: string | undefined;
  databaseUrl: Secret<string> | undefined;
  /** The address of PostgreSQL itself, if `databaseUrl` leads through PgBouncer. */
  databaseDirectUrl: Secret<string> | undefined;
  /** The database before a recovery, for `muster reapply-revocations`. */
  formerDatabaseUrl: Secret<string> | undefined;
  /** The time after its last heartbeat at which other nodes reap this one. */
  leaseSeconds: number;
  /**
   * The connection that carries MQTT messages between machines; undefined for one process, or for processes on one
   * machine.
   */
  nats: NatsSettings | undefined;
  /** The stream in which device messages may wait for their commit; undefined without NATS. */
  stream: StreamSettings | undefined;
  /** Whether a commit of the embedded database waits for the disk. */
  embeddedSync: boolean;
  masterKey: MasterKeySource;
  operatorTls: { certFile: string; keyFile: string } | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted, and which are exempt from the connection caps per address. */
  trustedProxies: AddressRange[];
  /** Load balancers that name the client of a connection in a PROXY header before its TLS. */
  proxyProtocolFrom: AddressRange[];
  /** Proxies whose `Client-Cert` is trusted: they can act for every device whose certificate they have seen. */
  trustedClientCertProxies: AddressRange[];
  /** The limits of messages, sessions, devices, tenants, addresses and this process (docs/limits.md). */
  limits: Limits;
  /** Origins whose pages may read the public API (CORS); none by default. */
  corsOrigins: string[];
  /** The folder of the built admin app. */
  appDir: string;
  /** The mail server. Without one, e-mails stay in the outbox and fail after a day. */
  smtp: { url: Secret<string>; from: string } | undefined;
  /** Whether identity providers may be in private networks and on this machine. */
  allowPrivateProviders: boolean;
  /** Whether webhooks may be sent to private networks and to this machine. */
  allowPrivateWebhooks: boolean;
  logLevel: LogLevel;
  /**
   * Unknown `MUSTER_…` names in the environment. They are probably misspelled, so a warning is logged for each at
   * startup.
   */
  unknownNames: string[];
}

export type MasterKeySource =
  | { from: "value"; key: Secret<Buffer>; next: Secret<Buffer> | undefined }
  | { from: "file"; path: string }
  | { from: "data-folder" };

const port = z.coerce.number("must be a port number").int().min(0).max(65_535, "must be a port, 0 to 65535");
const host = z.string().min(1);
const url = (protocol: RegExp, example: string) => z.url({ protocol, error: `must be an address like ${example}` });

/** One mailbox, optionally with a display name (RFC 5322 3.4), without comments, quoting or groups. */
const MAIL_FROM = /^(?:[^<>"\p{Cc}]{1,64} <[^<>@\s\p{Cc}]+@[^<>@\s\p{Cc}]+>|[^<>@\s\p{Cc}]+@[^<>@\s\p{Cc}]+)$/u;

const masterKey = z
  .string()
  .refine((text) => decodeKey(text) !== undefined, "must be 32 bytes in base64 (openssl rand -base64 32)");

/** Addresses with or without a port; IPv6 in brackets (MQTT 5, 4.11). */
const SERVER_REFERENCE =
  /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?(?: (?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?)*$/;

/** The admin app of this installation (`npm run build`). */
const BUILT_APP = resolve(import.meta.dirname, "../../../admin/dist");

const workers = z
  .string()
  .regex(/^(auto|[1-9]|[1-5]\d|6[0-4])$/, "must be a number from 1 to 64, or auto")
  .default("1")
  .transform((text) => (text === "auto" ? text : Number(text)));
/**
 * With a shorter lease, one lost heartbeat would end all sessions; with a longer one, the doctor would consider a node
 * ended before other nodes do.
 */
const LEASE_RANGE = "must be a number of seconds, 6 to 60";
const environment = z.object({
  MUSTER_DATA_DIR: z.string().min(1).default("./data"),
  MUSTER_WORKERS: workers,
  MUSTER_HTTP_HOST: host.default("0.0.0.0"),
  MUSTER_HTTP_PORT: port.default(8443),
  MUSTER_MQTT_HOST: host.default("0.0.0.0"),
  MUSTER_MQTT_PORT: port.default(8883),
  MUSTER_MQTT_SERVER_REFERENCE: z
    .string()
    .max(255)
    .regex(SERVER_REFERENCE, "must be addresses like broker-2.example:8883, separated by spaces")
    .optional(),
  MUSTER_METRICS_HOST: host.default("127.0.0.1"),
  MUSTER_METRICS_PORT: port.default(9464),
  MUSTER_PUBLIC_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]{1,253}$/, "must be a host name or an IP address, without scheme or port")
    .default("localhost"),
  MUSTER_BASE_URL: url(/^https$/, "https://muster.example").optional(),
  MUSTER_BROKER_URL: url(/^(mqtts|ssl)$/, "mqtts://muster.example:8883").optional(),
  MUSTER_DATABASE_URL: url(/^postgres(ql)?$/, "postgres://user:password@host/database").optional(),
  MUSTER_DATABASE_DIRECT_URL: url(/^postgres(ql)?$/, "postgres://user:password@host/database").optional(),
  MUSTER_FORMER_DATABASE_URL: url(/^postgres(ql)?$/, "postgres://user:password@host/database").optional(),
  MUSTER_NODE_LEASE_SECONDS: wholeNumber.min(6, LEASE_RANGE).max(60, LEASE_RANGE).default(10),
  MUSTER_EMBEDDED_SYNC: z.enum(["on", "off"], "must be on or off").default("on"),
  MUSTER_MASTER_KEY: masterKey.optional(),
  MUSTER_MASTER_KEY_NEXT: masterKey.optional(),
  MUSTER_MASTER_KEY_FILE: z.string().min(1).optional(),
  MUSTER_TLS_CERT_FILE: z.string().min(1).optional(),
  MUSTER_TLS_KEY_FILE: z.string().min(1).optional(),
  MUSTER_TRUSTED_PROXIES: addressRanges,
  MUSTER_TRUSTED_CLIENT_CERT_PROXIES: addressRanges,
  MUSTER_PROXY_PROTOCOL_FROM: addressRanges,
  MUSTER_APP_DIR: z.string().min(1).optional(),
  MUSTER_CORS_ORIGINS: webOrigins,
  MUSTER_SMTP_URL: url(/^smtps?$/, "smtps://user:password@mail.example").optional(),
  MUSTER_MAIL_FROM: z
    .string()
    .regex(MAIL_FROM, "must be an address like muster@example.com or Muster <muster@example.com>")
    .optional(),
  MUSTER_OIDC_ALLOW_PRIVATE: z.enum(["true", "false"], "must be true or false").default("false"),
  MUSTER_WEBHOOK_ALLOW_PRIVATE: z.enum(["true", "false"], "must be true or false").default("false"),
  MUSTER_LOG_LEVEL: z
    .enum(
      ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
      "must be fatal, error, warn, info, debug, trace or silent",
    )
    .default("info"),
  ...natsVariables,
  ...limitVariables,
});

/**
 * Parses the environment. An empty variable counts as unset.
 *
 * @throws ConfigError naming every problem
 */
export function parseConfig(env: Given): Config {
  const given = givenIn(env);
  return toConfig(parsedAs(environment, given, contradictions(given)), unknownNames(given));
}

/** Returns the configuration of this process. */
export function loadConfig(overrides: Record<string, string> = {}): Config {
  return parseConfig({ ...process.env, ...overrides });
}

/** Returns every variable with its default; `undefined` for a variable without one. */
export function settingDefaults(): Record<string, unknown> {
  const shape = Object.entries<z.ZodType>(environment.shape);
  return Object.fromEntries(shape.map(([name, setting]) => [name, setting.safeParse(undefined).data]));
}

/** Returns the environment of this process without `MUSTER_…`, for a child process with settings of its own. */
export function foreignEnvironment(): Record<string, string> {
  const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith("MUSTER_"));
  return Object.fromEntries(foreign as [string, string][]);
}

/** Returns the environment of a process that is part of this service. @param settings override it */
export function childEnvironment(settings: Record<string, string>): Record<string, string | undefined> {
  return { ...process.env, ...settings };
}

/** Decodes a 32-byte key from base64; returns `undefined` for any other text. */
export function decodeKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (!/^[A-Za-z0-9+/]{43}=$/.test(trimmed)) return undefined;
  return Buffer.from(trimmed, "base64");
}

const OTHER_NAMES = /^MUSTER_TEST_/;

function unknownNames(given: Record<string, unknown>): string[] {
  return Object.keys(given).filter((name) => !(name in environment.shape) && !OTHER_NAMES.test(name));
}

function contradictions(given: Given): string[] {
  const problems = natsProblems(given);
  if (given.MUSTER_MASTER_KEY && given.MUSTER_MASTER_KEY_FILE) {
    problems.push("MUSTER_MASTER_KEY and MUSTER_MASTER_KEY_FILE are both set: set only one");
  }
  if (given.MUSTER_MASTER_KEY_NEXT && !given.MUSTER_MASTER_KEY) {
    problems.push(
      "MUSTER_MASTER_KEY_NEXT requires MUSTER_MASTER_KEY; the next key of a key file is beside it, in <file>.next",
    );
  }
  if (given.MUSTER_DATABASE_DIRECT_URL && !given.MUSTER_DATABASE_URL) {
    problems.push("MUSTER_DATABASE_DIRECT_URL requires MUSTER_DATABASE_URL, the address of PgBouncer");
  }
  if (!given.MUSTER_TLS_CERT_FILE !== !given.MUSTER_TLS_KEY_FILE) {
    problems.push("MUSTER_TLS_CERT_FILE and MUSTER_TLS_KEY_FILE belong together: set both or neither");
  }
  return problems;
}

function toConfig(env: z.infer<typeof environment>, unknown: string[]): Config {
  const limits = toLimits(env);
  const nats = natsSettings(env, limits);
  return {
    dataDir: resolve(env.MUSTER_DATA_DIR),
    workers: env.MUSTER_WORKERS,
    http: { host: env.MUSTER_HTTP_HOST, port: env.MUSTER_HTTP_PORT },
    mqtt: {
      host: env.MUSTER_MQTT_HOST,
      port: env.MUSTER_MQTT_PORT,
      ...(env.MUSTER_MQTT_SERVER_REFERENCE ? { serverReference: env.MUSTER_MQTT_SERVER_REFERENCE } : {}),
    },
    metrics: { host: env.MUSTER_METRICS_HOST, port: env.MUSTER_METRICS_PORT },
    publicHost: env.MUSTER_PUBLIC_HOST,
    baseUrl: env.MUSTER_BASE_URL?.replace(/\/+$/, ""),
    brokerUrl: env.MUSTER_BROKER_URL,
    databaseDirectUrl: env.MUSTER_DATABASE_DIRECT_URL ? new Secret(env.MUSTER_DATABASE_DIRECT_URL) : undefined,
    databaseUrl: env.MUSTER_DATABASE_URL ? new Secret(env.MUSTER_DATABASE_URL) : undefined,
    formerDatabaseUrl: env.MUSTER_FORMER_DATABASE_URL ? new Secret(env.MUSTER_FORMER_DATABASE_URL) : undefined,
    leaseSeconds: env.MUSTER_NODE_LEASE_SECONDS,
    nats,
    stream: streamSettings(env, nats),
    embeddedSync: env.MUSTER_EMBEDDED_SYNC === "on",
    masterKey: masterKeySource(env),
    operatorTls:
      env.MUSTER_TLS_CERT_FILE && env.MUSTER_TLS_KEY_FILE
        ? { certFile: resolve(env.MUSTER_TLS_CERT_FILE), keyFile: resolve(env.MUSTER_TLS_KEY_FILE) }
        : undefined,
    trustedProxies: env.MUSTER_TRUSTED_PROXIES,
    proxyProtocolFrom: env.MUSTER_PROXY_PROTOCOL_FROM,
    trustedClientCertProxies: env.MUSTER_TRUSTED_CLIENT_CERT_PROXIES,
    limits,
    corsOrigins: env.MUSTER_CORS_ORIGINS,
    appDir: env.MUSTER_APP_DIR ? resolve(env.MUSTER_APP_DIR) : BUILT_APP,
    smtp: env.MUSTER_SMTP_URL
      ? {
          url: new Secret(env.MUSTER_SMTP_URL),
          from: env.MUSTER_MAIL_FROM ?? `Muster <muster@${env.MUSTER_PUBLIC_HOST}>`,
        }
      : undefined,
    allowPrivateProviders: env.MUSTER_OIDC_ALLOW_PRIVATE === "true",
    allowPrivateWebhooks: env.MUSTER_WEBHOOK_ALLOW_PRIVATE === "true",
    logLevel: env.MUSTER_LOG_LEVEL,
    unknownNames: unknown,
  };
}

function masterKeySource(env: z.infer<typeof environment>): MasterKeySource {
  const { MUSTER_MASTER_KEY: value, MUSTER_MASTER_KEY_NEXT: next } = env;
  if (value) {
    const [key, nextKey] = [decodeKey(value)!, next && decodeKey(next)];
    return { from: "value", key: new Secret(key), next: nextKey ? new Secret(nextKey) : undefined };
  }
  if (env.MUSTER_MASTER_KEY_FILE) return { from: "file", path: resolve(env.MUSTER_MASTER_KEY_FILE) };
  return { from: "data-folder" };
}
