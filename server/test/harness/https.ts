import { Agent, request } from "node:https";
import { assertDeclared } from "./declared-errors.ts";

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as it came, compressed if it was. */
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  json: any;
}

export interface HttpOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  /** Sent as JSON unless it is a string or bytes, which are sent as they are. */
  body?: unknown;
  ca?: string;
  /** Client certificate with its chain, PEM. */
  cert?: string | undefined;
  key?: string | undefined;
  /** For a request that needs a connection of its own. */
  agent?: Agent;
}

/** Connections are kept for the next request to the same server under the same certificate; a new one is a whole handshake. */
const connections = new Agent({ keepAlive: true, maxCachedSessions: 0 });

/** One HTTPS request as an outside client makes it; every status resolves, but for an error that its operation does not declare. */
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
        // A stream of events does not end by itself: its first message is its answer.
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
