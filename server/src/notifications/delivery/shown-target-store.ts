import { type RawBuilder, sql } from "kysely";

/**
 * SQL: the address of delivery `d` as shown to a user. Only the host is shown of other users' own channels: the rest
 * may be private, or a secret in the path of a webhook.
 *
 * @param asking the user; `null` for the shell
 */
export const shownTarget = (asking: string | null): RawBuilder<string> => sql`
  CASE WHEN d.channel = 'integration' THEN coalesce((SELECT i.name FROM integrations i WHERE i.id::text = d.target), d.target)
       WHEN d.user_id IS NULL OR d.user_id = ${asking}::uuid
         OR d.channel = 'email' AND lower(d.target) = (SELECT lower(o.email) FROM shared_users o WHERE o.id = d.user_id) THEN d.target
       WHEN d.channel = 'email' THEN '…' || substring(d.target FROM '@[^@]*$')
       ELSE substring(d.target FROM '^https://[^/?#]*') || '/…' END`;
