import { unlink } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { listenOnPrivateSocket } from "../lib/sockets/private-socket.ts";
import { prepareSocketFolder, socketPath } from "./socket-path.ts";

/**
 * Listens on the data folder's socket, whose mode is 0600 from its creation on.
 *
 * @throws {Error} if another service answers there
 */
export async function listenPrivately(server: Server, dataDir: string): Promise<void> {
  await prepareSocketFolder(dataDir);
  const path = socketPath(dataDir);
  await removeStale(path);
  await listenOnPrivateSocket(server, path);
}

/** Removes the socket file that a killed process left behind, unless a process answers on it. */
async function removeStale(path: string): Promise<void> {
  if (await answers(path))
    throw new Error(`another muster service is running on this data folder (${path}): stop it first`);
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
