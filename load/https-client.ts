import { connect, type TLSSocket } from "node:tls";
import { loopback } from "./mqtt-client.ts";

export interface Answer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

/** A keep-alive HTTPS connection with one request at a time; hand-written to cost less CPU than the server. */
export interface HttpsClient {
  send(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
  close(): void;
}

export interface HttpsTarget {
  readonly port: number;
  readonly ca: string;
  /** A loopback address of the client: the server limits requests by address. */
  readonly localAddress?: string;
  /** The client's certificate. */
  readonly certificate?: { readonly key: string; readonly cert: string };
}

const CLOSED = "the server closed the connection";

export async function openHttps({ certificate, ...target }: HttpsTarget): Promise<HttpsClient> {
  const socket = connect({ ...loopback(target), ...certificate });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  socket.setNoDelay(true);
  return clientOn(socket);
}

function clientOn(socket: TLSSocket): HttpsClient {
  let received: Buffer = Buffer.alloc(0);
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  const fail = (error: Error) => waiting?.reject(error);
  socket.on("error", fail);
  socket.on("close", () => fail(new Error(CLOSED)));
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const whole = answerIn(received);
    if (whole === undefined || waiting === undefined) return;
    received = received.subarray(whole.length);
    const { resolve } = waiting;
    waiting = undefined;
    resolve(whole.answer);
  });
  return {
    send: (method, path, body = "", headers = {}) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error(CLOSED));
        waiting = { resolve, reject };
        const lines = Object.entries({
          host: "localhost",
          ...(body === "" ? {} : { "content-type": "application/json" }),
          "content-length": String(Buffer.byteLength(body)),
          ...headers,
        });
        socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join("")}\r\n${body}`);
      }),
    close: () => socket.destroy(),
  };
}

/** Returns the first whole answer. A chunked body keeps the lengths of its chunks: no caller reads one. */
function answerIn(received: Buffer): { answer: Answer; length: number } | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  const length = /\r\ntransfer-encoding: *chunked/i.test(head)
    ? received.indexOf("\r\n0\r\n\r\n", end + 2) + 7
    : end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < length || length < end) return undefined;
  return {
    answer: { status: Number(head.slice(9, 12)), head, body: received.toString("utf8", end + 4, length) },
    length,
  };
}

/** Sends a request and returns the JSON of its answer. @throws Error for a status other than `status` */
export async function expectJson(
  client: HttpsClient,
  status: number,
  ...[method, path, body, headers]: Parameters<HttpsClient["send"]>
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers with a shape of its own
): Promise<any> {
  const answer = await client.send(method, path, body, headers);
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  return answer.body === "" ? undefined : JSON.parse(answer.body);
}
