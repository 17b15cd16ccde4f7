import { certificatePem, readCertificate } from "../pki/pki.ts";
import type { AuthorityRow, Role } from "./authority-store.ts";

/** One generation of one role, as `muster ca status` shows it. */
export interface AuthorityStatus {
  readonly id: string;
  readonly role: Role;
  readonly name: string;
  readonly status: AuthorityRow["status"];
  readonly issuerId: string | null;
  /** SHA-256 of the certificate's DER, lower-case hex. */
  readonly fingerprintSha256: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly createdAt: Date;
  /** The actual or planned time at which an upcoming server root becomes active. */
  readonly takeOverAt: Date | null;
  readonly activatedAt: Date | null;
  readonly retiringAt: Date | null;
  readonly retiredAt: Date | null;
}

export function statusOf(row: AuthorityRow): AuthorityStatus {
  return {
    id: row.id,
    role: row.role,
    name: row.name,
    status: row.status,
    issuerId: row.issuer_id,
    fingerprintSha256: row.fingerprint_sha256,
    notBefore: row.not_before,
    notAfter: row.not_after,
    createdAt: row.created_at,
    takeOverAt: row.take_over_at,
    activatedAt: row.activated_at,
    retiringAt: row.retiring_at,
    retiredAt: row.retired_at,
  };
}

/** A server root that replaces another one. */
export interface RootRollout {
  readonly id: string;
  readonly name: string;
  /** The time at which it joined the bundle that devices fetch. */
  readonly announcedAt: Date;
  /** The actual or planned time at which servers begin to use it. */
  readonly takeOverAt: Date | null;
  readonly activatedAt: Date | null;
}

/** Returns the newest server root among these rows in use (oldest first), if there is an older one too. */
export function rolloutOf(rows: readonly AuthorityRow[]): RootRollout | undefined {
  const roots = rows.filter(({ role }) => role === "server_root");
  const newest = roots.at(-1);
  if (newest === undefined || roots.length < 2) return undefined;
  const { id, name, created_at: announcedAt, take_over_at: takeOverAt, activated_at: activatedAt } = newest;
  return { id, name, announcedAt, takeOverAt, activatedAt };
}

/** A root or an intermediate with its public certificate, as `muster ca export` prints it. */
export interface ExportedAuthority extends AuthorityStatus {
  readonly pem: string;
}

const EXPORTED: readonly Role[] = ["device_root", "device_intermediate", "server_root"];

/** Returns the roots and intermediates among these rows. */
export function exportCertificates(rows: readonly AuthorityRow[]): ExportedAuthority[] {
  return rows.filter(({ role }) => EXPORTED.includes(role)).map(exported);
}

/** Returns the issuers of a leaf among these rows: its intermediate, then the root. Their names are unique. */
export function issuersOf(rows: readonly AuthorityRow[], leafDer: Buffer): ExportedAuthority[] {
  const { issuerDer } = readCertificate(leafDer);
  const intermediate = rows.find(
    (row) => row.role === "device_intermediate" && readCertificate(row.certificate_der).subjectDer.equals(issuerDer),
  );
  const root = rows.find(({ id }) => id === intermediate?.issuer_id);
  return [intermediate, root].flatMap((row) => (row === undefined ? [] : [exported(row)]));
}

function exported(row: AuthorityRow): ExportedAuthority {
  return { ...statusOf(row), pem: certificatePem(row.certificate_der) };
}
