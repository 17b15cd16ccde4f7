import type { Database, Tx } from "../db/types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { MasterKeys } from "./master-keys.ts";

/**
 * Encrypts what a feature stores again, in the transaction of a rotation; `reseal` gives the sealed secret of the record that `owner` names
 * its new form.
 */
export type EncryptAgain = (tx: Tx, reseal: (sealed: Buffer, owner: string) => Buffer) => Promise<void>;

export interface AuthoritiesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly masterKeys: MasterKeys;
  /** DNS name or IP address that clients reach the servers by. */
  readonly publicHost: string;
  /** Whatever other features store encrypted under the master key: a rotation that leaves one out makes its secrets unreadable. */
  readonly encryptAgain: readonly EncryptAgain[];
}
