import { Agent, request } from "node:https";

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
  agent?: Agent;
}

/** One HTTPS request as an outside client makes it; every status resolves. */
export function https(url: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const { body } = options;
  const raw =
    body === undefined
      ? undefined
      : typeof body === "string" || body instanceof Uint8Array
        ? body
        : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: options.method ?? (raw === undefined ? "GET" : "POST"),
        headers: { ...(raw === undefined ? {} : { "content-type": "application/json" }), ...options.headers },
        ca: options.ca,
        cert: options.cert,
        key: options.key,
        agent: options.agent ?? new Agent({ keepAlive: false }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes, json: parsed(text) });
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
