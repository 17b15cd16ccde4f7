import { useCase } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { placeOf } from "./webhook-id.ts";
import { findWebhook, listWebhookRows, type WebhookRow } from "./webhook-list-store.ts";
import { toWebhook, type WebhookRecord } from "./webhook-record.ts";

export interface WebhookQuery extends PageRequest {
  groupId?: string | undefined;
}

/** Lists the webhooks of the tenant's groups, newest first. A group of another tenant yields none. */
export const listWebhooks = useCase(
  { scope: "webhooks:read", role: "admin" },
  async ({ database, clock }: NotificationsDeps, caller, query: WebhookQuery): Promise<Page<WebhookRecord>> => {
    const { groupId, skip, limit } = query;
    if (groupId !== undefined && !isUuid(groupId)) return { items: [], total: 0, skip, limit };
    const { rows, total } = await listWebhookRows(database.db, caller.tenantId, groupId, query);
    const now = clock.now();
    return { items: rows.map((row) => toWebhook(row, now)), total, skip, limit };
  },
);

/** @throws MusterError not_found */
export const getWebhook = useCase(
  { scope: "webhooks:read", role: "admin" },
  async ({ database, clock }: NotificationsDeps, caller, id: string): Promise<WebhookRecord> =>
    toWebhook(await readWebhook(database.db, caller.tenantId, id), clock.now()),
);

/** Reads the webhook with an id. @throws MusterError not_found */
export async function readWebhook(db: Db, tenantId: string, id: string): Promise<WebhookRow> {
  const place = placeOf(id);
  const row = place && (await findWebhook(db, tenantId, place));
  if (!row) throw notFound("webhook");
  return row;
}
