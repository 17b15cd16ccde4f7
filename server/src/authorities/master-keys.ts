import type { Secret } from "../lib/secret.ts";
import { isMasterKeyOf, masterKeyCheck, wrongMasterKey } from "../pki/pki.ts";

/** The store of the master key and, during a rotation, of the next one (`config/master-key.ts`). */
export interface MasterKeyStore {
  /** Reads the key in its place, then the next one, if there is one. Every call reads them again. */
  read(): Promise<Secret<Buffer>[]>;
  /** Returns the key to rotate to. @throws MusterError invalid_request when a person must provide it first */
  next(): Promise<Secret<Buffer>>;
  /**
   * Puts `key`, under which the database is now encrypted, in the place of the former key, which stays under a name
   * with `formerId`.
   *
   * @returns the remaining steps for a person, as sentences
   */
  promote(key: Secret<Buffer>, formerId: string): Promise<string[]>;
}

/** The master keys of this process. The check value in the database decides which of them is in use. */
export interface MasterKeys {
  /** Returns the master key in use. @throws MusterError wrong_master_key when this process does not have it */
  current(): Buffer;
  /** Returns whether {@link MasterKeys.current} has one. */
  isKnown(): boolean;
  /**
   * Selects the key with this check value, reading the store again if need be. `undefined`: the database has no check
   * value yet. The current key is used.
   *
   * @throws MusterError wrong_master_key
   */
  select(check: string | undefined): Promise<void>;
  /** Returns the key with this check value, which need not be in use yet. @throws MusterError wrong_master_key */
  withCheck(check: string | undefined): Promise<Buffer>;
  /** Returns the key to rotate to. @throws MusterError invalid_request when a person must provide it first */
  next(): Promise<Buffer>;
  /** Puts the key in use in its place, once. @returns the remaining steps for a person, the same on every call */
  promote(): Promise<string[]>;
}

/** Returns an id of a master key that reveals nothing of it. */
export function masterKeyId(masterKey: Buffer): string {
  return masterKeyCheck(masterKey).slice(0, 8);
}

export function createMasterKeys(store: MasterKeyStore): MasterKeys {
  let keys: Secret<Buffer>[] = [];
  let current: Secret<Buffer> | undefined;
  /** The key that was put in its place, and the remaining steps. */
  let promoted: { key: Secret<Buffer>; remaining: Promise<string[]> } | undefined;
  const find = (check: string | undefined) =>
    check === undefined ? keys[0] : keys.find((key) => isMasterKeyOf(check, key.reveal()));
  const findOrRead = async (check: string | undefined) => {
    const found = find(check);
    if (found !== undefined) return found;
    keys = await store.read();
    return find(check);
  };
  return {
    current() {
      if (current === undefined) throw wrongMasterKey();
      return current.reveal();
    },
    isKnown: () => current !== undefined,
    async select(check) {
      current = await findOrRead(check);
      if (current === undefined) throw wrongMasterKey();
    },
    async withCheck(check) {
      const key = await findOrRead(check);
      if (key === undefined) throw wrongMasterKey();
      return key.reveal();
    },
    next: async () => {
      const next = await store.next();
      if (!keys.some((key) => key.reveal().equals(next.reveal()))) keys = [...keys, next];
      return next.reveal();
    },
    async promote() {
      if (current === undefined) return [];
      if (promoted?.key !== current) promoted = { key: current, remaining: putInPlace(store, current) };
      return await promoted.remaining.catch((error) => {
        promoted = undefined;
        throw error;
      });
    },
  };
}

async function putInPlace(store: MasterKeyStore, key: Secret<Buffer>): Promise<string[]> {
  const [first] = await store.read();
  if (first === undefined || first.reveal().equals(key.reveal())) return [];
  return await store.promote(key, masterKeyId(first.reveal()));
}

/** Returns the only master key of a process that never rotates it, for tests and benchmarks. */
export function fixedMasterKey(masterKey: Secret<Buffer>): MasterKeys {
  return createMasterKeys({
    read: async () => [masterKey],
    next: async () => masterKey,
    promote: async () => [],
  });
}
