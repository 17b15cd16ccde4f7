import type { KeyObject } from "node:crypto";
import type { Quotas } from "../access/access.ts";
import type { Database, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { HashGate } from "./throttle/hash-gate.ts";

/** What this feature works with. */
export interface IdentityDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  limits: Limits;
  logger: Logger;
  quotas: Quotas;
  hashGate: HashGate;
  /** Keys that the cookies of known browsers are signed with: the present one, then former ones. */
  knownBrowserKeys: () => readonly KeyObject[];
  secrets: Secrets;
  /** The address that links begin with. */
  baseUrl: () => string;
  mail: Mail;
  /** Called when the link that sets up the service was used or replaced. Its failure changes nothing of that. */
  setUpLinkEnded?: (() => Promise<void>) | undefined;
}

/** Encrypts the secrets of second factors under the master key, each bound to its owner (`factorOwner`). */
export interface Secrets {
  /** Called before the transaction locks a row with a sealed secret. */
  seal(tx: Tx, secret: Buffer, owner: string): Promise<Buffer>;
  /** Called when the transaction has locked the row with the sealed secret. */
  open(tx: Tx, sealed: Buffer, owner: string): Promise<Buffer>;
}

export interface Mail {
  /** Whether a mail server is configured. */
  readonly configured: boolean;
  /** Sends one mail now. @throws Error when the mail server does not take it */
  send(mail: { to: string; subject: string; text: string }): Promise<void>;
}
