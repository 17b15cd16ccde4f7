import { once } from "node:events";
import { chmod } from "node:fs/promises";
import type { Server } from "node:net";

/** Listens on a Unix socket that does not exist yet. Its mode is 0600 from the moment it exists. */
export async function listenOnPrivateSocket(server: Server, path: string): Promise<void> {
  const listening = once(server, "listening");
  // listen() binds the socket before it returns: no other code of this process creates a file under this mask.
  const umask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await listening;
  await chmod(path, 0o600);
}
