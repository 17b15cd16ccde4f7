import type { Tx } from "../db/types.ts";
import { openSecret, sealSecret } from "../pki/pki.ts";
import { awaitRotation, readMasterKeyCheck } from "./authority-store.ts";
import type { AuthoritiesDeps } from "./deps.ts";

/** Encrypts the secrets that another feature stores, such as those of second factors, under the master key. */
export interface SealedSecrets {
  /**
   * Encrypts a secret under the current master key, which cannot be rotated until `tx` ends. Call it before `tx` locks
   * a row with a sealed secret: a rotation locks those after the master key.
   *
   * @param owner the record that the secret is bound to, such as `user factor <user id> <factor id>`
   * @throws MusterError wrong_master_key
   */
  seal(tx: Tx, secret: Buffer, owner: string): Promise<Buffer>;
  /**
   * Reverses {@link SealedSecrets.seal}; `tx` has locked the row with the sealed secret.
   *
   * @throws MusterError wrong_master_key; sealed_value_changed when it was not sealed for this owner
   */
  open(tx: Tx, sealed: Buffer, owner: string): Promise<Buffer>;
}

export function createSealedSecrets({ masterKeys, ids }: Pick<AuthoritiesDeps, "masterKeys" | "ids">): SealedSecrets {
  const presentKey = async (tx: Tx) => masterKeys.withCheck(await readMasterKeyCheck(tx));
  return {
    async seal(tx, secret, owner) {
      await awaitRotation(tx);
      return sealSecret(secret, owner, await presentKey(tx), ids);
    },
    open: async (tx, sealed, owner) => openSecret(sealed, owner, await presentKey(tx)),
  };
}
