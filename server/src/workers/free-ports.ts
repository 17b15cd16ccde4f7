import { type AddressInfo, createServer, type Server } from "node:net";

interface Address {
  host: string;
  /** 0 picks a free port. */
  port: number;
}

/**
 * Finds ports that no other service listens on, by opening and closing them: sockets that share a port (SO_REUSEPORT)
 * would join another service's without an error.
 *
 * @throws {Error} EADDRINUSE or EACCES
 */
export async function freePorts(addresses: readonly Address[]): Promise<number[]> {
  const servers: Server[] = [];
  try {
    for (const { host, port } of addresses) servers.push(await open(host, port));
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function open(host: string, port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}
