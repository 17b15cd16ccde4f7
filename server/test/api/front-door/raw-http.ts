import { connect } from "node:tls";
import type { TestServer } from "../../harness/server.ts";

/**
 * Sends raw bytes over TLS and returns everything received until the server closes. The server may close before it has
 * read everything; the client then sees a broken connection after the answer.
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

/** Returns the status codes in `text`, in order. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
