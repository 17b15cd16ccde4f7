import type { Database, Tx } from "../db/types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { MasterKeys } from "./master-keys.ts";

/**
 * Re-encrypts a feature's stored secrets, in the transaction of a rotation; `reseal` converts the sealed secret of the
 * record that `owner` names.
 */
export type EncryptAgain = (tx: Tx, reseal: (sealed: Buffer, owner: string) => Buffer) => Promise<void>;

export interface AuthoritiesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly masterKeys: MasterKeys;
  /** The DNS name or IP address by which clients reach the servers. */
  readonly publicHost: string;
  /**
   * The re-encryption of every other feature with secrets under the master key; a missing one would make its secrets
   * unreadable.
   */
  readonly encryptAgain: readonly EncryptAgain[];
}
