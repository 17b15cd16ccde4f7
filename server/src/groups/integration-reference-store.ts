import { sql } from "kysely";
import { plainArray } from "../db/array-literal.ts";
import type { Tx } from "../db/database.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import type { Channel } from "./channels.ts";

/**
 * Refuses channels that name no integration of the tenant. The named ones cannot be deleted until `tx` ends.
 *
 * @throws MusterError invalid_request with the place of the channel in `detail`
 */
export async function requireIntegrations(tx: Tx, tenantId: string, channels: readonly Channel[]): Promise<void> {
  const ids = channels.filter(({ type }) => type === "integration").map(({ target }) => target);
  if (ids.length === 0) return;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM shared_integrations WHERE tenant_id = ${tenantId} AND id = ANY (${plainArray(ids)}::text::uuid[])
     ORDER BY id FOR KEY SHARE`.execute(tx);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = channels.findIndex(({ type, target }) => type === "integration" && !known.has(target));
  if (unknown >= 0) throw invalidRequest("There is no such integration.", `channels.${unknown}.target`);
}
