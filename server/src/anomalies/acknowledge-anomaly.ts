import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import { plainText } from "../lib/text.ts";
import { type Anomaly, toAnomaly } from "./anomaly-record.ts";
import { acknowledgeRow, findAnomaly } from "./anomaly-store.ts";
import type { AnomaliesDeps } from "./deps.ts";

/**
 * Records who acknowledged an anomaly, with a comment. An open anomaly becomes `acknowledged`, a resolved one stays `resolved`.
 * The first acknowledgement stays: a repetition changes nothing.
 *
 * @throws MusterError not_found, invalid_request
 */
export const acknowledgeAnomaly = useCase(
  { scope: "anomalies:write", role: "operator" },
  async (deps: AnomaliesDeps, caller, id: string, comment?: string): Promise<Anomaly> => {
    const text = plainText("comment", comment ?? "").trim();
    const now = deps.clock.now();
    const acknowledgement = { by: caller.actor, comment: text === "" ? null : text, now };
    const viewer = boundedToGroupsOf(caller);
    if (!isUuid(id)) throw notFound("anomaly");
    return await inTransaction(deps.database.db, async (tx) => {
      const acknowledged = await acknowledgeRow(tx, caller.tenantId, id, viewer, acknowledgement);
      const row = acknowledged ?? (await findAnomaly(tx, caller.tenantId, id, viewer));
      if (!row) throw notFound("anomaly");
      const result = acknowledged ? "updated" : "unchanged";
      await recordWrite(tx, caller, { resource: "anomaly", id, result, at: now }, deps.ids);
      return toAnomaly(row);
    });
  },
);
