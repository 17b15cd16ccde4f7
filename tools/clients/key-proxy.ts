import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { answerUnreadable } from "../../server/src/api/listener/listener.ts";
import { DEFAULT_LIMITS } from "../../server/src/lib/limits/limits.ts";

/** An HTTP listener on loopback that forwards to a service, with the credentials that a program cannot send itself. */
export interface KeyProxy {
  readonly url: string;
  /** The number of answers by method and status: `GET 200`. */
  readonly answers: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** @param credentials returns the headers of the next request */
export async function startKeyProxy(
  target: { baseUrl: string; caFile: string },
  credentials: () => Record<string, string>,
): Promise<KeyProxy> {
  const service = new URL(target.baseUrl);
  const agent = new Agent({
    keepAlive: true,
    servername: service.hostname,
    ca: readFileSync(target.caFile),
    maxSockets: 20,
  });
  const answers = new Map<string, number>();
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, url: path, headers } = incoming;
    // A client that names this listener means the service; another name reaches the service as it is.
    const meant = (value: string | undefined) => (value?.endsWith(`:${port()}`) ? service.host : value);
    const origin = headers.origin?.endsWith(`:${port()}`) ? service.origin : headers.origin;
    const sent = { ...headers, host: meant(headers.host), ...(origin ? { origin } : {}), ...credentials() };
    const upstream = request(
      { agent, hostname: service.hostname, port: service.port, method, path, headers: sent, setHost: false },
      (answer) => {
        const name = `${method} ${answer.statusCode}`;
        answers.set(name, (answers.get(name) ?? 0) + 1);
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  };
  const server: Server = createServer({ maxHeaderSize: DEFAULT_LIMITS.headerBytes }, forward);
  // Bytes that are not HTTP cannot be forwarded: the proxy gives the answer of the service's listener.
  server.on("clientError", (error, socket) => answerUnreadable(error, socket, "proxy"));
  const port = () => (server.address() as AddressInfo).port;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${port()}`,
    answers,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
