import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { recordKeyWrite, reserveIdempotencyKey } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../lib/ids.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { acknowledgementOf } from "./acknowledge-anomaly.ts";
import { acknowledgeRows, lockVisible } from "./anomaly-store.ts";
import type { AnomaliesDeps } from "./deps.ts";

/** The outcome for one anomaly; `unchanged` if it was acknowledged before. */
export type AcknowledgeOutcome = "acknowledged" | "unchanged" | "not_found";

/**
 * Acknowledges the anomalies that exist among `ids` with the same comment, in one transaction. Each follows the rules
 * of `acknowledgeAnomaly`, and earlier acknowledgements stay.
 *
 * @returns the outcome of each, in the order of `ids`
 * @throws MusterError invalid_request; nothing has changed then
 */
export const acknowledgeAnomalies = useCase(
  { scope: "anomalies:write", role: "operator" },
  async (deps: AnomaliesDeps, caller, ids: readonly string[], comment?: string): Promise<AcknowledgeOutcome[]> => {
    const most = records.anomaliesOfAcknowledgement.value;
    if (ids.length === 0 || ids.length > most) throw invalidRequest(`ids must contain 1 to ${most} anomalies`, "ids");
    const acknowledgement = acknowledgementOf(caller, comment, deps.clock.now());
    const viewer = boundedToGroupsOf(caller);
    return await inTransaction(deps.database.db, async (tx) => {
      await reserveIdempotencyKey(tx, caller, { id: ids[0]!, at: acknowledgement.now });
      const visible = new Set(await lockVisible(tx, caller.tenantId, ids.filter(isUuid), viewer));
      const acknowledged = new Set(await acknowledgeRows(tx, caller.tenantId, [...visible], acknowledgement));
      if (caller.request?.by === "key")
        for (const id of acknowledged) {
          const write = { resource: "anomaly", id, result: "updated", at: acknowledgement.now } as const;
          await recordKeyWrite(tx, caller, write, deps.ids);
        }
      return ids.map((id) => outcomeOf(id, visible, acknowledged));
    });
  },
);

function outcomeOf(id: string, visible: ReadonlySet<string>, acknowledged: ReadonlySet<string>): AcknowledgeOutcome {
  const key = id.toLowerCase();
  if (acknowledged.has(key)) return "acknowledged";
  return visible.has(key) ? "unchanged" : "not_found";
}
