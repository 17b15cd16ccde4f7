import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "../lib/secret.ts";
import { type Config, ConfigError, decodeKey } from "./config.ts";

export interface LoadedMasterKey {
  key: Secret<Buffer>;
  /** Removes the file if this call made it: a key that opens nothing must not lie where the real one is looked for. */
  takeBack(): Promise<void>;
}

/**
 * The 32-byte master key under which CA keys and claim codes are kept. Without a setting it is made once, in
 * `master.key` of the data folder (mode 0600); losing it loses the certificate authority.
 *
 * @throws ConfigError when the file is missing, unreadable or not a key
 */
export async function loadMasterKey(config: Pick<Config, "masterKey" | "dataDir">): Promise<LoadedMasterKey> {
  const source = config.masterKey;
  if (source.from === "value") return given(source.key);
  if (source.from === "file") return given(await readKey(source.path, "MUSTER_MASTER_KEY_FILE"));
  const path = join(config.dataDir, "master.key");
  await mkdir(config.dataDir, { recursive: true });
  const made = await createOnce(path);
  const key = await readKey(path, "the master key");
  return made ? { key, takeBack: () => unlink(path) } : given(key);
}

function given(key: Secret<Buffer>): LoadedMasterKey {
  return { key, takeBack: async () => undefined };
}

/** Written aside and linked into place: whole or absent, and never over an existing key. Whether it was made. */
async function createOnce(path: string): Promise<boolean> {
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    await chmod(aside, 0o600);
    await link(aside, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await unlink(aside);
  }
}

async function readKey(path: string, what: string): Promise<Secret<Buffer>> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`${what} (${path}) cannot be read: ${error.code}`]);
  });
  const key = decodeKey(text);
  if (!key) throw new ConfigError([`${what} (${path}) must hold 32 bytes in base64`]);
  return new Secret(key);
}
