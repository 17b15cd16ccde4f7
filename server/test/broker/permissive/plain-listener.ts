import { type AddressInfo, createServer } from "node:net";
import type { Listener, ListenerOptions } from "../../../src/broker/listener.ts";

/** Listens for MQTT over plain TCP on loopback, whatever host is requested. */
export function createPlainListener({ port, onPeer }: ListenerOptions): Listener {
  const server = createServer({ noDelay: true }, (socket) => onPeer(socket, { kind: "none" }));
  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host: "127.0.0.1", port }, () => resolve((server.address() as AddressInfo).port));
      }),
    refresh: () => undefined,
    authenticated: () => undefined,
    listening: () => server.listening,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
