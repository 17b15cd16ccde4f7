import { createHash } from "node:crypto";
import { lstat, mkdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** A Unix socket's address holds 104 bytes on some systems, 108 on others. */
const MAX_PATH_BYTES = 100;

/**
 * Where the service of a data folder listens for the shell: `control.sock` in it, or, where that path is too long for a
 * socket, in a folder of the system's temporary folder named after it. Both sides work it out the same way.
 */
export function socketPath(dataDir: string): string {
  const usual = join(resolve(dataDir), "control.sock");
  if (Buffer.byteLength(usual) <= MAX_PATH_BYTES) return usual;
  const name = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 16);
  return join(tmpdir(), `muster-${name}`, "control.sock");
}

/** Makes the folder of the socket if it is not the data folder itself, and makes sure that nobody else can use it. */
export async function prepareSocketFolder(dataDir: string): Promise<void> {
  const folder = dirname(socketPath(dataDir));
  if (folder === resolve(dataDir)) return;
  await mkdir(folder, { mode: 0o700, recursive: true });
  await requireOwnFolder(dataDir);
}

/**
 * The temporary folder is everybody's: a socket there is believed only in a folder that nobody but us, the owner of the
 * data folder or root can write to.
 *
 * @throws Error when somebody else could have put the socket there
 */
export async function requireOwnFolder(dataDir: string): Promise<void> {
  const folder = dirname(socketPath(dataDir));
  if (folder === resolve(dataDir)) return;
  const [found, data] = await Promise.all([lstat(folder), stat(dataDir)]);
  const trusted = [0, data.uid, process.geteuid?.()].includes(found.uid);
  if (!found.isDirectory() || !trusted || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to somebody else; remove it, or use a data folder with a shorter path`);
}
