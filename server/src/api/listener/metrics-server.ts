import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "../../lib/metrics/metrics.ts";

/**
 * Serves `GET /metrics` in Prometheus' format, over plain HTTP on a port of its own, which listens on loopback by
 * default.
 */
export interface MetricsServer {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createMetricsServer(
  metrics: Pick<Metrics, "text" | "contentType">,
  { host, port }: { host: string; port: number },
): MetricsServer {
  const server = createServer((request, response) => {
    if (request.url !== "/metrics" || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return {
    get url() {
      return `http://${host}:${(server.address() as AddressInfo | null)?.port ?? port}/metrics`;
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => resolve());
      }),
    stop: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
