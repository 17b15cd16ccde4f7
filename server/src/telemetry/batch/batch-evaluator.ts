import type { Tx } from "../../db/database.ts";
import type { BoundStatement } from "../../db/statement.ts";
import type { PreparedMessage } from "../message.ts";

/**
 * Evaluates the readings of a batch within the batch's commit. This interface is all that telemetry knows of rules;
 * `rules/` implements it.
 */
export interface BatchEvaluator {
  /**
   * Evaluates `messages` against the stored state of their devices. May be called again for the same batch.
   *
   * @param versionOf the version of a device's latest values before and after the batch
   * @param tx after a conflict with another process: the transaction that has locked the latest values of these devices
   * @returns `undefined` if a device's stored state has another version
   */
  evaluate(messages: readonly PreparedMessage[], versionOf: VersionOf, tx?: Tx): Promise<BatchEvaluation | undefined>;
  /** Drops the cached state of these devices, because it is unknown whether their batch was stored. */
  forget(deviceUids: Iterable<string>): void;
}

export type VersionOf = (deviceUid: string) => { readonly before: number; readonly after: number };

/** The statements that the evaluation adds to the batch's transaction. */
export interface BatchEvaluation {
  /** Row locks, which come first in the transaction. */
  locks: readonly BoundStatement[];
  /** State and anomaly changes, which come last in the transaction. */
  transitions: readonly BoundStatement[];
}
