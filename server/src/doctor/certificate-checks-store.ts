import { sql } from "kysely";
import type { Check } from "./check-store.ts";
import { HEARTBEAT_LIMIT } from "./service-checks-store.ts";

/** The longest that a node may take to close a session after the revocation of its certificate. */
const DROP_GRACE = sql`interval '10 seconds'`;

/** Invariants of claims, certificates, their audit and their sessions. */
export const CERTIFICATE_INVARIANTS: readonly Check[] = [
  {
    name: "a claim's uses are within its limit and equal its enrollments in the audit",
    violations: () => sql`SELECT 'claim ' || c.id AS what FROM claims c LEFT JOIN (
        SELECT claim_id, count(*) AS enrolled FROM certificate_audit WHERE kind = 'device_cert_enrolled' GROUP BY claim_id
      ) a ON a.claim_id = c.id
      WHERE c.used_count > c.max_uses OR c.used_count <> coalesce(a.enrolled, 0)`,
  },
  {
    name: "a device has at most two live bundles",
    violations: (
      now,
    ) => sql`SELECT 'device ' || min(c.device_id) || ' (' || c.device_uid || ')' AS what FROM certificates c
      WHERE c.kind = 'platform' AND c.revoked_at IS NULL AND c.not_after > ${now}
      GROUP BY c.device_uid HAVING count(*) > 2`,
  },
  {
    name: "no valid certificate has a blocked key",
    violations: () => sql`SELECT 'certificate ' || c.id AS what FROM blocked_keys b
      JOIN certificates c ON c.spki_sha256 = b.spki_sha256 AND c.revoked_at IS NULL`,
  },
  {
    name: "every certificate has exactly one issuing audit entry",
    violations: () => sql`SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE (SELECT count(*) FROM certificate_audit a WHERE a.certificate_id = c.id AND a.tenant_id = c.tenant_id
        AND a.serial_number = c.serial_number
        AND a.kind IN ('device_cert_minted', 'device_cert_enrolled', 'device_cert_renewed')) <> 1`,
  },
  {
    name: "every issuing audit entry has its certificate",
    violations: () => sql`SELECT 'audit entry ' || a.id AS what FROM certificate_audit a
      WHERE NOT EXISTS (SELECT 1 FROM certificates c WHERE c.id = a.certificate_id
        AND c.fingerprint_sha256 = a.fingerprint_sha256)`,
  },
  {
    name: "every renewal has one revoked predecessor, and every predecessor one successor",
    violations: () => sql`SELECT 'renewal ' || a.id AS what FROM certificate_audit a
      WHERE a.kind = 'device_cert_renewed' AND (SELECT count(*) FROM certificates p
        WHERE p.superseded_by_id = a.certificate_id AND p.serial_number = a.previous_serial_number
          AND p.revoked_at IS NOT NULL) <> 1
      UNION ALL SELECT 'certificate ' || p.id FROM certificates p
      WHERE p.superseded_by_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM certificate_audit a
        WHERE a.certificate_id = p.superseded_by_id AND a.kind = 'device_cert_renewed'
          AND a.previous_serial_number = p.serial_number)`,
  },
  {
    name: "serial numbers are unique",
    violations: () =>
      sql`SELECT 'serial ' || serial_number AS what FROM certificates GROUP BY serial_number HAVING count(*) > 1`,
  },
  {
    name: "the live certificates of a device id belong to one tenant",
    violations: (now) => sql`SELECT 'device id ' || c.device_id AS what FROM certificates c
      WHERE c.revoked_at IS NULL AND c.not_after > ${now} GROUP BY c.device_id HAVING count(DISTINCT c.tenant_id) > 1`,
  },
  {
    name: "the client id of a live certificate is reserved for its tenant until it expires",
    violations: (now) => sql`SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE c.revoked_at IS NULL AND c.not_after > ${now} AND NOT EXISTS (SELECT 1 FROM client_ids i
        WHERE i.client_id = c.device_id AND i.tenant_id = c.tenant_id AND i.live_until >= c.not_after)`,
  },
  {
    name: "no session is open on a revoked certificate, except on one that was superseded",
    violations: (now) => sql`SELECT 'session of ' || s.client_id AS what FROM mqtt_sessions s
      JOIN certificates c ON c.id = s.certificate_id
      JOIN broker_nodes n ON n.id = s.node_id AND n.beat_at > ${now} - ${HEARTBEAT_LIMIT}
      WHERE c.revocation_reason IN ('requested', 'device_deleted') AND c.revoked_at < ${now} - ${DROP_GRACE}`,
  },
  {
    name: "a client id has at most one session",
    violations: () =>
      sql`SELECT 'client id ' || client_id AS what FROM mqtt_sessions GROUP BY client_id HAVING count(*) > 1`,
  },
  {
    name: "a revoked certificate stays revoked",
    violations: () => sql`SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE c.revoked_at IS NULL AND EXISTS (SELECT 1 FROM certificate_audit a
        WHERE a.certificate_id = c.id AND a.kind = 'device_cert_revoked')`,
  },
  {
    name: "every revocation has its audit entry",
    violations: () => sql`SELECT 'certificate ' || c.id AS what FROM certificates c
      WHERE c.revocation_reason IN ('requested', 'device_deleted') AND NOT EXISTS (SELECT 1 FROM certificate_audit a
        WHERE a.certificate_id = c.id AND a.kind = 'device_cert_revoked')`,
  },
  {
    name: "a deleted device has no live certificate",
    violations:
      () => sql`SELECT 'certificate ' || c.id AS what FROM certificates c JOIN devices d ON d.uid = c.device_uid
      WHERE d.deleted_at IS NOT NULL AND c.revoked_at IS NULL`,
  },
];
