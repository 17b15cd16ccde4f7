import { connect, type TLSSocket } from "node:tls";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One keep-alive HTTPS connection, one request at a time; hand-written, so that the load costs less CPU than the server. */
export interface HttpsClient {
  send(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
  close(): void;
}

export interface HttpsTarget {
  readonly port: number;
  readonly ca: string;
  /** A loopback address of its own for each connection: the server limits requests by address. */
  readonly localAddress?: string;
  /** What the client presents. */
  readonly certificate?: { readonly key: string; readonly cert: string };
}

export async function openHttps({ port, ca, localAddress, certificate }: HttpsTarget): Promise<HttpsClient> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    ca,
    servername: "localhost",
    ...(localAddress === undefined ? {} : { localAddress }),
    ...certificate,
  });
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
  socket.on("close", () => fail(new Error("the server closed the connection")));
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
        if (socket.destroyed) return reject(new Error("the server closed the connection"));
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

function answerIn(received: Buffer): { answer: Answer; length: number } | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  const status = Number(head.slice(9, 12));
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return chunkedAnswer(received, status, end);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const total = end + 4 + length;
  if (received.length < total) return undefined;
  return { answer: { status, body: received.toString("utf8", end + 4, total) }, length: total };
}

/** The body with the lengths of its chunks, as no row reads such a body. Its last chunk is empty. */
function chunkedAnswer(
  received: Buffer,
  status: number,
  headEnd: number,
): { answer: Answer; length: number } | undefined {
  const last = received.indexOf("\r\n0\r\n\r\n", headEnd + 2);
  if (last < 0) return undefined;
  return { answer: { status, body: received.toString("utf8", headEnd + 4, last) }, length: last + 7 };
}
