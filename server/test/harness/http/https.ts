import { Agent, request } from "node:https";
import { assertDeclared } from "./declared-errors.ts";
import type { HttpAnswer } from "./http-answer.ts";

export interface HttpOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  /** A string or bytes are sent unchanged, everything else as JSON. */
  body?: unknown;
  ca?: string;
  /** The client certificate with its chain, as PEM. */
  cert?: string | undefined;
  key?: string | undefined;
  /** Whether the request opens its own connection. */
  agent?: Agent;
}

/**
 * Agents that keep connections for the next request to the same server under the same certificate. A new connection
 * costs a full handshake.
 */
const connections = new Agent({ keepAlive: true, maxCachedSessions: 0 });

/**
 * Sends one HTTPS request as an external client does. Every status resolves, except an error that the operation does
 * not declare.
 */
export function https(url: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const { body } = options;
  const raw =
    body === undefined
      ? undefined
      : typeof body === "string" || body instanceof Uint8Array
        ? body
        : JSON.stringify(body);
  const method = options.method ?? (raw === undefined ? "GET" : "POST");
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method,
        headers: { ...(raw === undefined ? {} : { "content-type": "application/json" }), ...options.headers },
        ca: options.ca,
        cert: options.cert,
        key: options.key,
        agent: options.agent ?? connections,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", (error) => (isStream ? undefined : reject(error)));
        // An event stream does not end by itself: its first message is the answer.
        const isStream = response.headers["content-type"]?.startsWith("text/event-stream") && method !== "HEAD";
        if (isStream) response.once("data", () => response.destroy());
        response.on(isStream ? "close" : "end", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString("utf8");
          const { statusCode: status = 0, headers } = response;
          const answer = { status, headers, text, bytes, json: parsed(text) };
          assertDeclared(method, url, answer).then(() => resolve(answer), reject);
        });
      },
    );
    call.on("error", reject);
    call.end(raw);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
