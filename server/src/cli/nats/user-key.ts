import { readFile, writeFile } from "node:fs/promises";
import { NKEY_SEED } from "../../lib/nats/nats-settings.ts";

const PRIVATE_MODE = 0o600;

/** Writes the seed of a new nkey to a new file. @returns its public key. @throws Error if the file exists */
export async function createUserKey(path: string): Promise<string> {
  const { nkeys } = await import("@nats-io/transport-node");
  const pair = nkeys.createUser();
  const seed = new TextDecoder().decode(pair.getSeed());
  await writeFile(path, `${seed}\n`, { mode: PRIVATE_MODE, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new Error(`${path} exists: it may be the key in use`) : error;
  });
  return pair.getPublicKey();
}

/**
 * Returns the public key of the nkey in a file; `undefined` if it contains none.
 *
 * @throws Error if the file cannot be read
 */
export async function publicKeyOf(path: string): Promise<string | undefined> {
  const seed = NKEY_SEED.exec(await readFile(path, "utf8"))?.[1];
  if (seed === undefined) return undefined;
  const { nkeys } = await import("@nats-io/transport-node");
  return nkeys.fromSeed(new TextEncoder().encode(seed)).getPublicKey();
}
