import type { Tx } from "../../db/database.ts";
import type { BoundStatement } from "../../db/statement.ts";
import type { PreparedMessage } from "./batch.ts";

/**
 * Evaluates the readings of a batch in the batch's own commit. Telemetry knows no more of rules than this interface;
 * `rules/` implements it.
 */
export interface BatchEvaluator {
  /**
   * Evaluates `messages` against the state that is stored for their devices. May be called again for the same batch.
   *
   * @param versionOf which version of the latest values of a device the batch starts from, and which it leaves
   * @param tx the transaction that has locked the latest values of these devices, after a conflict with another process
   * @returns `undefined` when the stored state of a device is of another version
   */
  evaluate(messages: readonly PreparedMessage[], versionOf: VersionOf, tx?: Tx): Promise<BatchEvaluation | undefined>;
  /** Drops the cached state of these devices: it is unknown whether their batch was stored. */
  forget(deviceUids: Iterable<string>): void;
}

export type VersionOf = (deviceUid: string) => { readonly before: number; readonly after: number };

/** What the evaluation adds to the batch's transaction. */
export interface BatchEvaluation {
  /** Row locks; the first statements of the transaction. */
  locks: readonly BoundStatement[];
  /** State and anomalies; the last statements of the transaction. */
  transitions: readonly BoundStatement[];
}
