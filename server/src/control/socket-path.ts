import { createHash } from "node:crypto";
import { lstat, mkdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The path of a Unix socket is limited to 104 bytes on some systems and to 108 on others. */
const MAX_PATH_BYTES = 100;

/**
 * Returns the socket of a data folder's service: `control.sock` in it. If that path is too long for a socket, it is in
 * a subfolder of the system's temporary folder whose name is derived from the data folder. Server and client compute
 * the same path.
 */
export function socketPath(dataDir: string): string {
  const inDataDir = join(resolve(dataDir), "control.sock");
  if (Buffer.byteLength(inDataDir) <= MAX_PATH_BYTES) return inDataDir;
  const name = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 16);
  return join(tmpdir(), `muster-${name}`, "control.sock");
}

/**
 * Creates the socket's folder unless it is the data folder itself. @returns the folder @throws {Error} like {@link
 * requireOwnFolder}
 */
export async function prepareSocketFolder(dataDir: string): Promise<string> {
  const folder = dirname(socketPath(dataDir));
  if (folder === resolve(dataDir)) return folder;
  await mkdir(folder, { mode: 0o700, recursive: true });
  await requireOwnFolder(dataDir);
  return folder;
}

/**
 * Checks the socket's folder. Every user can write to the temporary folder, so a socket there is trusted only in a
 * folder that no other user can open and that belongs to this user, the owner of the data folder, or root.
 *
 * @throws {Error} if another user could have created the socket
 */
export async function requireOwnFolder(dataDir: string): Promise<void> {
  const folder = dirname(socketPath(dataDir));
  if (folder === resolve(dataDir)) return;
  const [found, data] = await Promise.all([lstat(folder), stat(dataDir)]);
  const trusted = [0, data.uid, process.geteuid?.()].includes(found.uid);
  if (!found.isDirectory() || !trusted || (found.mode & 0o077) !== 0)
    throw new Error(
      `${folder} is open to other users of this machine: remove it, or use a data folder with a shorter path`,
    );
}
