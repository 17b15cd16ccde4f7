import { type RawBuilder, type SqlBool, sql } from "kysely";

export type CertificateState = "none" | "active" | "renewal_due" | "expiring" | "expired" | "revoked";

/**
 * Returns the state of one certificate of the device `d`: the live one that expires last, otherwise the newest. A
 * bundle is `expiring` from 30 days before its end, a self-enrolled certificate `renewal_due` from `renewAfterUtc`
 * (spec 2.8). Triggers of `certificates` maintain its columns (`derive_certificate_state`).
 */
export function certificateState(now: RawBuilder<Date>): RawBuilder<CertificateState> {
  return sql`CASE
    WHEN d.certificate_until > ${now}::timestamptz THEN CASE
      WHEN d.certificate_kind = 'platform' AND d.certificate_until <= ${now}::timestamptz + interval '30 days' THEN 'expiring'
      WHEN d.certificate_renew_after <= ${now}::timestamptz THEN 'renewal_due'
      ELSE 'active' END
    WHEN d.certificate_revoked IS NULL THEN 'none'
    WHEN d.certificate_revoked THEN 'revoked'
    ELSE 'expired' END`;
}

/**
 * Returns the condition that the device `d` is in this state. It names columns, whose statistics let the planner
 * estimate the number of devices. For an expression, the planner would assume one in 200 and read all devices where the
 * first thousand contain a page.
 */
export function isInState(state: CertificateState, now: RawBuilder<Date>): RawBuilder<SqlBool> {
  const at = sql`${now}::timestamptz`;
  const isLive = sql`d.certificate_until > ${at}`;
  const notLive = sql`(d.certificate_until IS NULL OR d.certificate_until <= ${at})`;
  const endsLater = sql`(d.certificate_kind <> 'platform' OR d.certificate_until > ${at} + interval '30 days')`;
  switch (state) {
    case "expiring":
      return sql<SqlBool>`(${isLive} AND d.certificate_kind = 'platform' AND d.certificate_until <= ${at} + interval '30 days')`;
    case "renewal_due":
      return sql<SqlBool>`(${isLive} AND ${endsLater} AND d.certificate_renew_after <= ${at})`;
    case "active":
      return sql<SqlBool>`(${isLive} AND ${endsLater} AND (d.certificate_renew_after IS NULL OR d.certificate_renew_after > ${at}))`;
    case "none":
      return sql<SqlBool>`(${notLive} AND d.certificate_revoked IS NULL)`;
    case "revoked":
      return sql<SqlBool>`(${notLive} AND d.certificate_revoked)`;
    case "expired":
      return sql<SqlBool>`(${notLive} AND NOT d.certificate_revoked)`;
  }
}
