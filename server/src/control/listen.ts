import { once } from "node:events";
import { chmod, unlink } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { prepareSocketFolder, socketPath } from "./socket-path.ts";

/**
 * Listens on the data folder's socket, mode 0600 from its first moment.
 *
 * @throws Error when a live service listens there
 */
export async function listenPrivately(server: Server, dataDir: string): Promise<void> {
  await prepareSocketFolder(dataDir);
  const path = socketPath(dataDir);
  await removeStale(path);
  const listening = once(server, "listening");
  // A socket is bound before listen() returns, so nobody else's file is made under this mask.
  const umask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await listening;
  await chmod(path, 0o600);
}

/** A socket file outlives a killed process. It is removed only when nothing answers on it. */
async function removeStale(path: string): Promise<void> {
  if (await answers(path)) throw new Error(`another muster service is running on this data folder (${path})`);
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(false);
      else reject(error);
    });
  });
}
