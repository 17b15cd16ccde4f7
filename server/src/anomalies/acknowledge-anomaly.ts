import { boundedToGroupsOf, type Caller, useCase } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import { plainText } from "../lib/text.ts";
import { type Anomaly, toAnomaly } from "./anomaly-record.ts";
import { type Acknowledgement, acknowledgeRows, findAnomaly, lockVisible } from "./anomaly-store.ts";
import type { AnomaliesDeps } from "./deps.ts";

/**
 * Records who acknowledged an anomaly, with a comment. An open anomaly becomes `acknowledged`; a resolved one stays
 * `resolved`. The first acknowledgement stays, and a repetition changes nothing.
 *
 * @throws MusterError not_found, invalid_request
 */
export const acknowledgeAnomaly = useCase(
  { scope: "anomalies:write", role: "operator" },
  async (deps: AnomaliesDeps, caller, id: string, comment?: string): Promise<Anomaly> => {
    const acknowledgement = acknowledgementOf(caller, comment, deps.clock.now());
    const viewer = boundedToGroupsOf(caller);
    if (!isUuid(id)) throw notFound("anomaly");
    return await inTransaction(deps.database.db, async (tx) => {
      const visible = await lockVisible(tx, caller.tenantId, [id], viewer);
      const acknowledged = await acknowledgeRows(tx, caller.tenantId, visible, acknowledgement);
      const row = await findAnomaly(tx, caller.tenantId, id, viewer);
      if (!row) throw notFound("anomaly");
      const result = acknowledged.length > 0 ? "updated" : "unchanged";
      await recordWrite(tx, caller, { resource: "anomaly", id, result, at: acknowledgement.now }, deps.ids);
      return toAnomaly(row);
    });
  },
);

/** @throws MusterError invalid_request if the comment is too long or has control characters */
export function acknowledgementOf({ actor }: Caller, comment: string | undefined, now: Date): Acknowledgement {
  const text = plainText("comment", comment ?? "").trim();
  return { by: actor, comment: text === "" ? null : text, now };
}
