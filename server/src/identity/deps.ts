import type { KeyObject } from "node:crypto";
import type { Quotas } from "../access/access.ts";
import type { Database, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { Providers } from "./oidc/providers.ts";
import type { FailedSignIns } from "./sign-in-events/failures.ts";
import type { HashGate } from "./throttle/hash-gate.ts";

/** The dependencies of this feature. */
export interface IdentityDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  limits: Limits;
  logger: Logger;
  metrics: Pick<Metrics, "providerErrors" | "providerLogouts" | "signIns">;
  quotas: Quotas;
  hashGate: HashGate;
  failedSignIns: FailedSignIns;
  /** The keys that sign the cookies of known browsers: the current key, then former keys. */
  knownBrowserKeys: () => readonly KeyObject[];
  /** The keys that sign the cookies of sign-ins at a provider: the current key, then former keys. */
  oidcFlowKeys: () => readonly KeyObject[];
  /** The keys that sign the challenges of passkeys: the current key, then former keys. */
  challengeKeys: () => readonly KeyObject[];
  /** Whether identity providers may be in private networks. */
  allowPrivateProviders: boolean;
  providers: Providers;
  secrets: Secrets;
  /** The base address of links. */
  baseUrl: () => string;
  mail: Mail;
  /** Called when the set-up link was used or replaced. A failure here does not undo that. */
  setUpLinkEnded?: (() => Promise<void>) | undefined;
}

/** Encrypts the secrets of second factors under the master key, each bound to its owner (`factorOwner`). */
export interface Secrets {
  /** Seals a secret; called before the transaction locks a row with a sealed secret. */
  seal(tx: Tx, secret: Buffer, owner: string): Promise<Buffer>;
  /** Opens a secret; called when the transaction has locked the row with the sealed secret. */
  open(tx: Tx, sealed: Buffer, owner: string): Promise<Buffer>;
}

export interface Mail {
  /** Whether a mail server is configured. */
  readonly configured: boolean;
  /** Sends a mail immediately. @throws Error when the mail server does not accept it */
  send(mail: { to: string; subject: string; text: string }): Promise<void>;
}
