import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";

export interface GroupChannelRow {
  type: ChannelKind;
  target: string;
  request_at: Date | null;
  requested_at: Date | null;
  expires_at: Date | null;
  confirmed_at: Date | null;
  failing_since: Date | null;
  last_error: string | null;
  /** The name and the type of an integration. */
  name: string | null;
  service: string | null;
}

/** Lists the channels of a group in order, with the state of their addresses. */
export async function listGroupChannelRows(db: Db, tenantId: string, groupId: string): Promise<GroupChannelRow[]> {
  const { rows } = await sql<GroupChannelRow>`
    SELECT c.type, c.target, a.request_at, a.requested_at, a.token_expires_at AS expires_at, a.confirmed_at,
           a.failing_since, a.last_error, i.name, i.type AS service
      FROM shared_group_channels c
      LEFT JOIN channel_addresses a
        ON a.tenant_id = c.tenant_id AND a.type = c.type AND a.key = channel_address_key(c.type, c.target)
      LEFT JOIN integrations i ON c.type = 'integration' AND i.tenant_id = c.tenant_id AND i.id::text = c.target
     WHERE c.tenant_id = ${tenantId} AND c.group_id = ${groupId} ORDER BY c.position`.execute(db);
  return rows;
}
