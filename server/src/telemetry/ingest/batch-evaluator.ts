import type { Tx } from "../../db/database.ts";
import type { BoundStatement } from "../../db/statement.ts";
import type { PreparedMessage, TelemetryColumns } from "./batch.ts";

/**
 * Evaluates the readings of a batch in the batch's own commit. Telemetry knows no more of rules than this interface;
 * `rules/` implements it.
 */
export interface BatchEvaluator {
  /**
   * Evaluates `messages` against the state that is stored for their devices. May be called again for the same batch.
   *
   * @param tx the transaction that has locked the newest readings of these devices, after a conflict with another process
   */
  evaluate(messages: readonly PreparedMessage[], columns: TelemetryColumns, tx?: Tx): Promise<BatchEvaluation>;
  /** Drops the cached state of these devices: it is unknown whether their batch was stored. */
  forget(deviceUids: Iterable<string>): void;
}

/** What the evaluation adds to the batch's transaction. */
export interface BatchEvaluation {
  /** Row locks; the first statements of the transaction. */
  locks: readonly BoundStatement[];
  /**
   * Optimistic lock, one entry a row: the time (microseconds since 1970) of the newest reading the evaluation started from, minus
   * infinity for none, `undefined` for a row that no rule evaluates. The batch is rejected when that is no longer the newest.
   */
  follows: readonly (number | undefined)[];
  /** State and anomalies; the last statements of the transaction. */
  transitions: readonly BoundStatement[];
}
