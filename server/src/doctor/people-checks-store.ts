import { sql } from "kysely";
import { type Check, shownTime } from "./check-store.ts";

/** An audit stream that is later than this has most likely lost its receiver. */
const STREAM_LATE = sql`interval '1 hour'`;

/** The warnings about sign-ins at identity providers and about audit streams. */
export const PEOPLE_WARNINGS: readonly Check[] = [
  {
    name: "where an identity provider is required, an emergency admin can sign in without it",
    violations: () => sql`SELECT 'tenant ' || t.slug || CASE p.rule
        WHEN 'required' THEN ': it has none; name one, or be ready to run npx muster tenant sso-off '
        ELSE ': none is an active admin with a second factor; name one, or run npx muster tenant sso-off '
        END || t.slug AS what
       FROM oidc_providers p JOIN tenants t ON t.id = p.tenant_id
      WHERE p.enabled AND p.rule <> 'password' AND NOT (p.rule = 'break_glass' AND EXISTS (
        SELECT FROM users u WHERE u.id = ANY (p.break_glass) AND u.tenant_id = p.tenant_id AND u.role = 'admin'
          AND u.status = 'active' AND u.deleted_at IS NULL
          AND EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id)))`,
  },
  {
    name: "no audit stream is an hour behind",
    violations: (
      now,
    ) => sql`SELECT 'tenant ' || t.slug || ', ' || s.kind || ' to ' || coalesce(substring(s.target FROM '^[a-z]+://([^/?]+)'), '?')
        || ', oldest entry of ' || ${shownTime(sql`o.at`)} || coalesce(': ' || left(s.last_error, 100), '') AS what
       FROM audit_streams s JOIN tenants t ON t.id = s.tenant_id
       JOIN LATERAL (SELECT min(at) AS at FROM audit_outbox WHERE tenant_id = s.tenant_id) o
         ON o.at < ${now} - ${STREAM_LATE}`,
  },
  {
    name: "no audit stream has lost entries",
    violations: () => sql`SELECT 'tenant ' || t.slug || ', ' || s.lost || ' since '
        || ${shownTime(sql`s.created_at`)} || ': read them in the audit, then set the stream again' AS what
       FROM audit_streams s JOIN tenants t ON t.id = s.tenant_id WHERE s.lost > 0`,
  },
];
