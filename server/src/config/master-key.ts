import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { faultPoint } from "../lib/fault-points.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { Secret } from "../lib/secret.ts";
import { type Config, ConfigError, decodeKey } from "./config.ts";

/** The storage of the master key and, during a rotation, of the next one. */
export interface MasterKeyStore {
  /**
   * Returns the present key, then the next one, if there is one.
   *
   * @throws ConfigError if one is missing, unreadable or not a key
   */
  read(): Promise<Secret<Buffer>[]>;
  /** Returns the key to rotate to. @throws MusterError invalid_request if the operator must provide it first */
  next(): Promise<Secret<Buffer>>;
  /** Replaces the present key with the next one. @returns the steps that remain for the operator, as sentences */
  promote(key: Secret<Buffer>, formerId: string): Promise<string[]>;
  /**
   * Removes the key file if opening created it: a key that decrypts nothing must not take the place of the right one.
   */
  removeCreated(): Promise<void>;
}

/**
 * Opens the store of the 32-byte master key, which encrypts the private keys of the authorities and the claim codes. If
 * no setting names it, the key is created once, in `master.key` of the data folder (mode 0600). Without the key the
 * stored keys cannot be decrypted.
 *
 * @throws ConfigError if the file is missing, unreadable or not a key
 */
export async function openMasterKeyStore(config: Pick<Config, "masterKey" | "dataDir">): Promise<MasterKeyStore> {
  const store = await openStore(config);
  await store.read();
  return store;
}

async function openStore(config: Pick<Config, "masterKey" | "dataDir">): Promise<MasterKeyStore> {
  const source = config.masterKey;
  if (source.from === "value") return valueStore(source.key, source.next);
  if (source.from === "file") return fileStore(source.path, "MUSTER_MASTER_KEY_FILE", provided(source.path));
  const path = join(config.dataDir, "master.key");
  await mkdir(config.dataDir, { recursive: true });
  const created = await createOnce(path);
  const store = fileStore(path, "the master key", async () => void (await createOnce(nextOf(path))));
  return created ? { ...store, removeCreated: () => unlink(path) } : store;
}

/** Creates a store of keys from the environment, which this process cannot change. */
function valueStore(key: Secret<Buffer>, next: Secret<Buffer> | undefined): MasterKeyStore {
  return {
    read: async () => (next === undefined ? [key] : [key, next]),
    next: async () => {
      if (next !== undefined) return next;
      throw invalidRequest(
        "Set MUSTER_MASTER_KEY_NEXT to a new key (openssl rand -base64 32), restart every process with it, and repeat.",
      );
    },
    promote: async () => [
      "Set MUSTER_MASTER_KEY to the value of MUSTER_MASTER_KEY_NEXT, and unset MUSTER_MASTER_KEY_NEXT.",
    ],
    removeCreated: async () => undefined,
  };
}

/**
 * Creates a store of keys in files.
 *
 * @param prepareNext creates the file of the next key, or refuses if the operator must do so
 */
function fileStore(path: string, what: string, prepareNext: () => Promise<void>): MasterKeyStore {
  const next = nextOf(path);
  return {
    read: async () => [
      await readKey(path, what),
      ...((await exists(next)) ? [await readKey(next, "the next key")] : []),
    ],
    next: async () => {
      await prepareNext();
      return await readKey(next, "the next key");
    },
    promote: async (key, formerId) => {
      const stored = (await exists(next)) ? await readKey(next, "the next key") : undefined;
      if (stored?.reveal().equals(key.reveal())) return await promoteFile(path, formerId);
      return [`Put the key that the database was rotated to into ${path}: ${next} has another one.`];
    },
    removeCreated: async () => undefined,
  };
}

/** Returns the file of the next key during a rotation, until it replaces the present one. */
export function nextOf(path: string): string {
  return `${path}.next`;
}

/**
 * Requires that the next key's file exists. Several machines may have a copy of the file: all of them must have the
 * next key before the database is encrypted under it.
 */
function provided(path: string): () => Promise<void> {
  return async () => {
    if (await exists(nextOf(path))) return;
    throw invalidRequest(
      `Write a new key to ${nextOf(path)}, on every machine that has a copy of ${path}, and repeat: (umask 077; openssl rand -base64 32 > ${nextOf(path)}).`,
    );
  };
}

/** Replaces the key file with the next one. The former key is first linked under another name, so that it is kept. */
async function promoteFile(path: string, formerId: string): Promise<string[]> {
  const former = `${path}.${formerId}`;
  try {
    await link(path, former).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await faultPoint("master-key.kept");
    await rename(nextOf(path), path);
    await syncFolder(dirname(path));
    await faultPoint("master-key.promoted");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !NOT_PERMITTED.includes(code)) throw error;
    return [
      `Replace ${path} by ${nextOf(path)}: this process may not (${code}). Keep the former key with the backups that need it.`,
    ];
  }
  return [`The former key is in ${former}. Backups made before now need it: keep it with them, or delete it.`];
}

/** The errors of a secret mounted read-only, or in another user's folder. */
const NOT_PERMITTED = ["EACCES", "EPERM", "EROFS", "EXDEV", "EBUSY"];

/**
 * Writes a temporary file and links it to `path`, so that the key file is complete or absent and an existing one is
 * never replaced.
 *
 * @returns whether it was created
 */
async function createOnce(path: string): Promise<boolean> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    await chmod(temporary, 0o600);
    await link(temporary, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await unlink(temporary);
  }
}

/** Syncs a folder, so that its present names survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

async function readKey(path: string, what: string): Promise<Secret<Buffer>> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`${what} (${path}) cannot be read: ${error.code}`]);
  });
  const key = decodeKey(text);
  if (!key) throw new ConfigError([`${what} (${path}) must contain 32 bytes in base64`]);
  return new Secret(key);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
