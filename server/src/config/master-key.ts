import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "../lib/secret.ts";
import { type Config, ConfigError, decodeKey } from "./config.ts";

export interface LoadedMasterKey {
  key: Secret<Buffer>;
  /** Removes the key file if this call created it: a key that decrypts nothing must not take the place of the right one. */
  removeCreated(): Promise<void>;
}

/**
 * The 32-byte master key, which encrypts the private keys of the authorities and the claim codes. Without a setting it is created
 * once, in `master.key` of the data folder (mode 0600). Without it the stored keys cannot be decrypted.
 *
 * @throws ConfigError when the file is missing, unreadable or not a key
 */
export async function loadMasterKey(config: Pick<Config, "masterKey" | "dataDir">): Promise<LoadedMasterKey> {
  const source = config.masterKey;
  if (source.from === "value") return given(source.key);
  if (source.from === "file") return given(await readKey(source.path, "MUSTER_MASTER_KEY_FILE"));
  const path = join(config.dataDir, "master.key");
  await mkdir(config.dataDir, { recursive: true });
  const created = await createOnce(path);
  const key = await readKey(path, "the master key");
  return created ? { key, removeCreated: () => unlink(path) } : given(key);
}

function given(key: Secret<Buffer>): LoadedMasterKey {
  return { key, removeCreated: async () => undefined };
}

/**
 * Writes a temporary file and links it to `path`, so that the key file is complete or absent and an existing one is never replaced.
 *
 * @returns whether it was created
 */
async function createOnce(path: string): Promise<boolean> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    await chmod(temporary, 0o600);
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await unlink(temporary);
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
