import { request } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { rootCertificates } from "node:tls";
import type { Profile } from "../../config/profiles.ts";

/** An error body of the API (docs/api-conventions.md, Errors). */
export interface ApiProblem {
  error: string;
  message: string;
  detail?: string;
  [more: string]: unknown;
}

/** A refusal by the API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly problem: ApiProblem;

  constructor(status: number, problem: ApiProblem) {
    super(problem.message);
    this.status = status;
    this.problem = problem;
  }
}

export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path after `/api/v1`. */
  path: string;
  query?: Record<string, string | number | undefined> | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The public API with one key. */
export interface Api {
  readonly server: string;
  /** Returns the body of a success. @throws {ApiError} for a refusal @throws {Error} without an answer */
  send<T>(wanted: ApiRequest): Promise<T>;
  /** Returns the service's description of its API. */
  description(): Promise<object>;
}

/** The longest wait for the budget of the key; the service asks for at most 60 seconds. */
const MAX_WAIT_SECONDS = 61;
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Creates a client that waits when the budget of its key is spent. */
export function createApi({ server, apiKey, ca }: Profile): Api {
  const trusted = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  return {
    server,
    async send<T>(wanted: ApiRequest): Promise<T> {
      for (;;) {
        const { status, text, retryAfter } = await exchange(urlOf(server, wanted), apiKey, wanted, trusted);
        const answer = parse(text);
        if (status < 300) return answer as T;
        if (status !== 429 || retryAfter > MAX_WAIT_SECONDS) throw new ApiError(status, problemOf(status, answer));
        await pause(Math.max(1, retryAfter) * 1000);
      }
    },
    async description() {
      const url = new URL(`${server}/openapi/public.json`);
      const { status, text } = await exchange(url, apiKey, { method: "GET", path: "" }, trusted);
      if (status !== 200) throw new Error(`${url} answered ${status}`);
      return JSON.parse(text);
    },
  };
}

/** Checks the address of a service. @returns it without a final slash @throws Error if it is not https */
export function serverAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" || url.username || url.password || url.search || url.hash)
    throw new Error(`--server takes an https address, such as https://muster.example: ${text}`);
  return url.href.replace(/\/$/, "");
}

function urlOf(server: string, { path, query = {} }: ApiRequest): URL {
  const url = new URL(`${server}/api/v1${path}`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function problemOf(status: number, answer: unknown): ApiProblem {
  const known = answer !== null && typeof answer === "object" && "error" in answer && "message" in answer;
  return known ? (answer as ApiProblem) : { error: "unreadable_answer", message: `The service answered ${status}.` };
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function exchange(
  url: URL,
  apiKey: string,
  { method, body, headers = {} }: ApiRequest,
  trusted: object,
): Promise<{ status: number; text: string; retryAfter: number }> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const typed =
    sent === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(sent) };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Error(`${url.origin} did not answer: ${error.message}`));
    const options = { method, headers: { ...headers, ...typed, "x-api-key": apiKey }, timeout: TIMEOUT_MS, ...trusted };
    const started = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      let octets = 0;
      answer.on("data", (chunk: Buffer) => {
        octets += chunk.length;
        if (octets > MAX_ANSWER_BYTES) answer.destroy(new Error("the answer is too large"));
        else chunks.push(chunk);
      });
      answer.on("error", fail);
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          text: Buffer.concat(chunks).toString("utf8"),
          retryAfter: Number(answer.headers["retry-after"] ?? 1),
        }),
      );
    });
    started.on("timeout", () => started.destroy(new Error("no answer within 30 seconds")));
    started.on("error", fail);
    started.end(sent);
  });
}
