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
 * Notes who looked and what they said. An open anomaly is `acknowledged` from then on, a resolved one stays `resolved`.
 * The first to look stays: a repetition changes nothing.
 *
 * @throws MusterError not_found, invalid_request
 */
export const acknowledgeAnomaly = useCase(
  { scope: "anomalies:write", role: "operator" },
  async (deps: AnomaliesDeps, caller, id: string, comment?: string): Promise<Anomaly> => {
    const said = plainText("comment", comment ?? "").trim();
    const now = deps.clock.now();
    const note = { by: caller.actor, comment: said === "" ? null : said, now };
    const boundedTo = boundedToGroupsOf(caller);
    if (!isUuid(id)) throw notFound("anomaly");
    return await inTransaction(deps.database.db, async (tx) => {
      const noted = await acknowledgeRow(tx, caller.tenantId, id, boundedTo, note);
      const row = noted ?? (await findAnomaly(tx, caller.tenantId, id, boundedTo));
      if (!row) throw notFound("anomaly");
      const result = noted ? "updated" : "unchanged";
      await recordWrite(tx, caller, { resource: "anomaly", id, result, at: now }, deps.ids);
      return toAnomaly(row);
    });
  },
);
