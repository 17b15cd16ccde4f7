import type { Tx } from "../db/types.ts";
import { openSecret, sealSecret } from "../pki/pki.ts";
import { awaitRotation, readMasterKeyCheck } from "./authority-store.ts";
import type { AuthoritiesDeps } from "./deps.ts";

/** Encrypts the secrets that another feature stores, such as those of second factors, under the master key. */
export interface SealedSecrets {
  /**
   * Encrypts a secret under the present master key, which stays the present one until `tx` ends. Call it before `tx` locks a row with
   * a sealed secret: a rotation locks those after the master key.
   *
   * @throws MusterError wrong_master_key
   */
  seal(tx: Tx, secret: Buffer): Promise<Buffer>;
  /** Reverses {@link SealedSecrets.seal}; `tx` has locked the row with the sealed secret. @throws MusterError wrong_master_key */
  open(tx: Tx, sealed: Buffer): Promise<Buffer>;
}

export function createSealedSecrets({ masterKeys, ids }: Pick<AuthoritiesDeps, "masterKeys" | "ids">): SealedSecrets {
  const presentKey = async (tx: Tx) => masterKeys.withCheck(await readMasterKeyCheck(tx));
  return {
    async seal(tx, secret) {
      await awaitRotation(tx);
      return sealSecret(secret, await presentKey(tx), ids);
    },
    open: async (tx, sealed) => openSecret(sealed, await presentKey(tx)),
  };
}
