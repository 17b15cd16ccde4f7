/** The reason a sign-in, or a check within a session, failed. */
export type FailureCause =
  | "password"
  | "code"
  | "passkey"
  | "passkey_counter"
  | "throttled"
  | "deactivated"
  | "unknown_account"
  /** Right credentials of Muster where the tenant requires its provider. */
  | "sso_required"
  /** The tenant admits no such person, for whom its provider vouches. */
  | `provider:${string}`;

/** The person who failed, as far as known. */
export interface Failing {
  /** The e-mail address as entered. It is used for a look-up only: people enter passwords in its place. */
  email: string;
  address: string;
  /** The actor `user:<id>` of a failure within a session; by default `visitor`. */
  actor?: string;
  /** The tenant whose provider sent the person: accounts of others do not count. By default those of all do. */
  tenantId?: string | null;
}

/** Failures of one account, address block and cause since the last write. */
export interface Failures extends Required<Failing> {
  addressBlock: string;
  cause: FailureCause;
  times: number;
  first: Date;
  last: Date;
}

/** Records failed sign-ins off the request path, so that an answer takes the same time for every account. */
export interface FailedSignIns {
  /** Runs an attempt, and reports it if it fails for a wrong secret, too many attempts, or a rule of single sign-on. */
  reported<T>(who: Failing, attempt: () => Promise<T>): Promise<T>;
  /** Writes the reported failures now. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}
