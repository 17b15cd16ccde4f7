import { type RequestOptions, request } from "node:https";
import { isIP } from "node:net";
import tls, { rootCertificates } from "node:tls";
import { AgentError } from "./errors.ts";

/** The trust anchor and the client certificate of an HTTPS request. */
export interface HttpsCredentials {
  /** A trust anchor in addition to those of the machine, PEM. */
  caPem?: string | undefined;
  /** The leaf and its chain, PEM. */
  certPem?: string | undefined;
  keyPem?: string | undefined;
}

/** A JSON object as the server sent it; no field is validated yet. */
export type JsonObject = Record<string, unknown>;

const TIMEOUT_MS = 30_000;
const LONGEST_ANSWER = 1024 * 1024;
/** Errors of a port that speaks no TLS, or only with a client certificate, such as the MQTT port. */
const OTHER_PROTOCOL = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|TLSV13_ALERT_CERTIFICATE_REQUIRED)$/;

/**
 * Returns the address of `path` under the service's base address (which may have a path of its own).
 *
 * @throws AgentError `bad_argument` unless the base is an https address: a claim code is never sent in the clear
 */
export function endpoint(base: string, path: string): URL {
  if (!URL.canParse(base) || new URL(base).protocol !== "https:") {
    throw new AgentError("bad_argument", `The server's address must start with https://, and "${base}" does not.`);
  }
  // Joined as text, so that a path in an answer of the server cannot lead to another host.
  return new URL(`${base.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`);
}

/**
 * POSTs JSON on a new connection and returns the JSON object of the answer.
 *
 * @throws AgentError with the server's code on a refusal; `unreachable` (with `unanswered` set if the request may have
 *   arrived), `untrusted_server` or `bad_response` otherwise
 */
export async function postJson(url: URL, body: JsonObject, credentials: HttpsCredentials): Promise<JsonObject> {
  const answer = await exchange(url, JSON.stringify(body), credentials);
  const json = parseObject(answer.text);
  if (answer.status >= 200 && answer.status < 300) {
    if (json === undefined) throw new AgentError("bad_response", `${url.origin} did not answer with a JSON object.`);
    return json;
  }
  throw refusal(answer, json);
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

function exchange(url: URL, body: string, credentials: HttpsCredentials): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let secured = false;
    const fail = (error: Error) => reject(transportError(url, error, secured));
    const req = request(url, requestOptions(url, body, credentials), (res) => {
      const chunks: Buffer[] = [];
      let size = 0;
      res.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > LONGEST_ANSWER) res.destroy(new Error("the answer is too long"));
        else chunks.push(chunk);
      });
      res.on("error", fail);
      res.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: res.statusCode ?? 0, retryAfter: res.headers["retry-after"], text });
      });
    });
    req.on("socket", (socket) => socket.once("secureConnect", () => (secured = true)));
    req.on("error", fail);
    req.end(body);
  });
}

function requestOptions(url: URL, body: string, credentials: HttpsCredentials): RequestOptions {
  const options: RequestOptions = {
    method: "POST",
    agent: false,
    minVersion: "TLSv1.2",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      accept: "application/json",
      connection: "close",
    },
  };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0) options.servername = host;
  if (credentials.caPem !== undefined) options.ca = [...machineAuthorities(), credentials.caPem];
  if (credentials.certPem !== undefined && credentials.keyPem !== undefined) {
    options.cert = credentials.certPem;
    options.key = credentials.keyPem;
  }
  return options;
}

/** Node before 22.15 does not say which authorities it trusts in addition to its own (`NODE_EXTRA_CA_CERTS`). */
function machineAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: "default") => string[] };
  return getCACertificates?.("default") ?? rootCertificates;
}

function transportError(url: URL, error: Error, secured: boolean): AgentError {
  if (isTrustError(error)) {
    const message = `The certificate of ${url.host} was not accepted: ${error.message}.`;
    return new AgentError("untrusted_server", message, { cause: error });
  }
  return new AgentError("unreachable", `${url.host}: ${reasonOf(error)}`, { cause: error, unanswered: secured });
}

/** Returns why no answer arrived, with a full stop or a question mark. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.name === "TimeoutError" || error.name === "AbortError") return "no answer in time.";
  const why = error.message || error.name;
  return speaksNoHttps(error) ? `${why}. Is it the HTTPS port?` : `${why}.`;
}

/**
 * Reports whether the other side closed the connection instead of answering, as the MQTT port does, or speaks no TLS.
 */
function speaksNoHttps({ message, code = "" }: NodeJS.ErrnoException): boolean {
  return message === "socket hang up" || code === "EPROTO" || OTHER_PROTOCOL.test(code);
}

/** Reports whether OpenSSL's verification or Node's host name check failed. */
export function isTrustError(error: Error): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|INVALID_CA|INVALID_PURPOSE)/.test(code) || isNameError(error);
}

/** Reports whether a certificate was rejected because it does not name the address. */
export function isNameError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  return code === "ERR_TLS_CERT_ALTNAME_INVALID" || code.startsWith("HOSTNAME_MISMATCH");
}

function refusal(answer: Answer, json: JsonObject | undefined): AgentError {
  const code = optionalText(json, "error") ?? `http_${answer.status}`;
  const message = optionalText(json, "message") ?? `The server answered with status ${answer.status}.`;
  const details: ConstructorParameters<typeof AgentError>[2] = { status: answer.status };
  const requestId = optionalText(json, "requestId");
  const detail = optionalText(json, "detail");
  const seconds = Number(answer.retryAfter);
  if (requestId !== undefined) details.requestId = requestId;
  if (detail !== undefined) details.detail = detail;
  if (answer.retryAfter !== undefined && seconds >= 0) details.retryAfterMs = seconds * 1000;
  return new AgentError(code, message, details);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the field as a non-empty string, or undefined. */
export function optionalText(json: JsonObject | undefined, field: string): string | undefined {
  const value = json?.[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the field as a non-empty string. @throws AgentError `bad_response` */
export function requiredText(json: JsonObject, field: string): string {
  const value = optionalText(json, field);
  if (value === undefined) throw new AgentError("bad_response", `The server's answer has no ${field}.`);
  return value;
}

/** Returns the field as a list of strings, or undefined if it is anything else. */
export function optionalTexts(json: JsonObject, field: string): string[] | undefined {
  const value = json[field];
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}
