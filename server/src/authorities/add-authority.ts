import {
  createDeviceRoot,
  createIssuingIntermediate,
  createServerCertificate,
  createServerRoot,
  type IssuingPair,
  type NewCertificate,
  newSerialNumber,
  type OwnCertificate,
  sealPrivateKey,
  VALID_DAYS,
} from "../pki/pki.ts";
import { type AuthorityRow, insertAuthority, type Role } from "./authority-store.ts";
import { type LockedHierarchy, reloadRows, type ServerRole } from "./locked-hierarchy.ts";
import { openAuthorityKey, ownerOf } from "./seals.ts";

export async function addDeviceRoot(hierarchy: LockedHierarchy): Promise<AuthorityRow> {
  const wanted = newGeneration(hierarchy, "device_root", VALID_DAYS.deviceRoot);
  return await add(hierarchy, "device_root", createDeviceRoot(wanted));
}

export async function addIntermediate(hierarchy: LockedHierarchy, root: AuthorityRow): Promise<AuthorityRow> {
  const wanted = newGeneration(hierarchy, "device_intermediate", VALID_DAYS.issuingIntermediate);
  const made = createIssuingIntermediate(wanted, issuingPair(hierarchy, root));
  return await add(hierarchy, "device_intermediate", made, root);
}

/** Adds a server root: active immediately, or upcoming until `takeOverAt`. */
export async function addServerRoot(hierarchy: LockedHierarchy, takeOverAt?: Date): Promise<AuthorityRow> {
  const made = createServerRoot(newGeneration(hierarchy, "server_root", VALID_DAYS.serverRoot));
  return await add(hierarchy, "server_root", made, undefined, takeOverAt);
}

export async function addServerCertificate(
  hierarchy: LockedHierarchy,
  role: ServerRole,
  root: AuthorityRow,
  hosts: readonly string[],
): Promise<AuthorityRow> {
  const wanted = { ...newGeneration(hierarchy, role, VALID_DAYS.server), hosts };
  return await add(hierarchy, role, createServerCertificate(wanted, issuingPair(hierarchy, root)), root);
}

const NAMES: Record<Role, string> = {
  device_root: "Muster device root",
  device_intermediate: "Muster issuing",
  server_root: "Muster server root",
  broker_server: "Muster broker",
  https_server: "Muster HTTPS",
};

/**
 * Returns the data of a role's next generation. Chains are built by name, so a name has the generation's number and
 * random octets that differ between installations.
 */
function newGeneration({ rows, ids, now }: LockedHierarchy, role: Role, validDays: number): NewCertificate {
  const generation = rows.filter((row) => row.role === role).length + 1;
  const name = `${NAMES[role]} ${generation} ${ids.bytes(4).toString("hex")}`;
  return { name, now, validDays, serialNumber: newSerialNumber(ids) };
}

function issuingPair({ masterKey }: LockedHierarchy, row: AuthorityRow): IssuingPair {
  return { certificateDer: row.certificate_der, privateKey: openAuthorityKey(row, masterKey) };
}

async function add(
  hierarchy: LockedHierarchy,
  role: Role,
  made: OwnCertificate,
  issuer?: AuthorityRow,
  takeOverAt?: Date,
): Promise<AuthorityRow> {
  const { tx, ids, now, masterKey } = hierarchy;
  const owner = { id: ids.uuid(now), role, certificate_der: made.certificateDer };
  const row: AuthorityRow = {
    ...owner,
    name: made.name,
    status: takeOverAt === undefined ? "active" : "upcoming",
    issuer_id: issuer?.id ?? null,
    private_key_pem: sealPrivateKey(made.privateKey, ownerOf(owner), masterKey, ids),
    fingerprint_sha256: made.fingerprintSha256,
    not_before: made.notBefore,
    not_after: made.notAfter,
    created_at: now,
    take_over_at: takeOverAt ?? null,
    activated_at: takeOverAt === undefined ? now : null,
    retiring_at: null,
    retired_at: null,
  };
  await insertAuthority(tx, row);
  await reloadRows(hierarchy);
  return row;
}
