/** Why a sign-in, or a check within a session, failed. */
export type FailureCause =
  | "password"
  | "code"
  | "passkey"
  | "passkey_counter"
  | "throttled"
  | "deactivated"
  | "unknown_account";

/** The person who failed, as far as known. */
export interface Failing {
  /** The e-mail address as entered. It is used for a look-up only: people enter passwords in its place. */
  email: string;
  address: string;
  /** The actor `user:<id>` of a failure within a session; by default `visitor`. */
  actor?: string;
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
  /** Runs an attempt, and reports it if it fails for a wrong secret or too many attempts. */
  reported<T>(who: Failing, attempt: () => Promise<T>): Promise<T>;
  /** Writes the reported failures now. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}
