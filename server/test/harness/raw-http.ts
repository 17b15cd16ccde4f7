import { connect } from "node:tls";
import type { TestServer } from "./server.ts";

/**
 * Sends raw bytes over TLS and returns everything that comes back until the server closes. It may close before it has read all: the
 * client then sees a broken connection behind the answer.
 */
export function rawHttp(server: Pick<TestServer, "httpPort" | "ca">, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: server.httpPort, servername: "localhost", ca: server.ca });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
    socket.write(bytes);
  });
}

/** The status codes of the answers in `text`, in order. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
