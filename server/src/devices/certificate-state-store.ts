import { type RawBuilder, sql } from "kysely";

export type CertificateState = "none" | "active" | "renewal_due" | "expiring" | "expired" | "revoked";

/**
 * The certificate state of the device `d`: of the live certificate that ends last; without a live one, of the newest. A bundle is
 * `expiring` from 30 days before its end, a self-enrolled certificate `renewal_due` from `renewAfterUtc` (spec 2.8). Triggers of
 * `certificates` keep its columns (migration 0026).
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
