import type { Tx } from "../db/types.ts";
import type { Ids } from "../lib/ids.ts";
import {
  createDeviceRoot,
  createIssuingIntermediate,
  createServerCertificate,
  createServerRoot,
  decryptPrivateKey,
  encryptPrivateKey,
  type IssuingPair,
  type NewCertificate,
  newSerialNumber,
  type OwnCertificate,
  VALID_DAYS,
} from "../pki/pki.ts";
import { type AuthorityRow, insertAuthority, listAuthorities, lockAuthorities, type Role } from "./authority-store.ts";

/** The hierarchy while we hold its lock: what there is, and all that is needed to make more of it. */
export interface Books {
  readonly tx: Tx;
  readonly now: Date;
  readonly ids: Ids;
  readonly masterKey: Buffer;
  /** What server certificates must be good for. */
  readonly hosts: readonly string[];
  /** Every generation, oldest first, as it is now. */
  rows: AuthorityRow[];
  changed: boolean;
}

export type ServerRole = Extract<Role, "broker_server" | "https_server">;

/** Waits for the lock and reads the rows, in this order. */
export async function openBooks(tx: Tx, more: Omit<Books, "tx" | "rows" | "changed">): Promise<Books> {
  await lockAuthorities(tx);
  return { ...more, tx, rows: await listAuthorities(tx), changed: false };
}

/** Call it after each write. */
export async function reread(books: Books): Promise<void> {
  books.rows = await listAuthorities(books.tx);
  books.changed = true;
}

/** The active generation of a role. Throws where the hierarchy is incomplete, which only a damaged database is. */
export function activeOf(books: { readonly rows: readonly AuthorityRow[] }, role: Role): AuthorityRow {
  const row = books.rows.find((candidate) => candidate.role === role && candidate.status === "active");
  if (row === undefined) throw new Error(`the database holds no active ${role}`);
  return row;
}

export async function addDeviceRoot(books: Books): Promise<AuthorityRow> {
  return await add(books, "device_root", createDeviceRoot(wanted(books, "device_root", VALID_DAYS.deviceRoot)));
}

export async function addIntermediate(books: Books, root: AuthorityRow): Promise<AuthorityRow> {
  const asked = wanted(books, "device_intermediate", VALID_DAYS.issuingIntermediate);
  return await add(books, "device_intermediate", createIssuingIntermediate(asked, pairOf(books, root)), root);
}

/** A server root: active at once, or upcoming until `takeOverAt`. */
export async function addServerRoot(books: Books, takeOverAt?: Date): Promise<AuthorityRow> {
  const made = createServerRoot(wanted(books, "server_root", VALID_DAYS.serverRoot));
  return await add(books, "server_root", made, undefined, takeOverAt);
}

export async function addServerCertificate(
  books: Books,
  role: ServerRole,
  root: AuthorityRow,
  hosts: readonly string[],
): Promise<AuthorityRow> {
  const asked = { ...wanted(books, role, VALID_DAYS.server), hosts };
  return await add(books, role, createServerCertificate(asked, pairOf(books, root)), root);
}

const NAMES: Record<Role, string> = {
  device_root: "Muster device root",
  device_intermediate: "Muster issuing",
  server_root: "Muster server root",
  broker_server: "Muster broker",
  https_server: "Muster HTTPS",
};

/** Two generations, and two installations, never share a name: chains are looked up by it. */
function wanted({ rows, ids, now }: Books, role: Role, validDays: number): NewCertificate {
  const generation = rows.filter((row) => row.role === role).length + 1;
  const name = `${NAMES[role]} ${generation} ${ids.bytes(4).toString("hex")}`;
  return { name, now, validDays, serialNumber: newSerialNumber(ids) };
}

function pairOf({ masterKey }: Books, row: AuthorityRow): IssuingPair {
  if (row.private_key_pem === null) throw new Error(`${row.name} has no private key any more`);
  return { certificateDer: row.certificate_der, privateKey: decryptPrivateKey(row.private_key_pem, masterKey) };
}

async function add(
  books: Books,
  role: Role,
  made: OwnCertificate,
  issuer?: AuthorityRow,
  takeOverAt?: Date,
): Promise<AuthorityRow> {
  const row: AuthorityRow = {
    id: books.ids.uuid(books.now),
    role,
    name: made.name,
    status: takeOverAt === undefined ? "active" : "upcoming",
    issuer_id: issuer?.id ?? null,
    certificate_der: made.certificateDer,
    private_key_pem: encryptPrivateKey(made.privateKey, books.masterKey),
    fingerprint_sha256: made.fingerprintSha256,
    not_before: made.notBefore,
    not_after: made.notAfter,
    created_at: books.now,
    take_over_at: takeOverAt ?? null,
    activated_at: takeOverAt === undefined ? books.now : null,
    retiring_at: null,
    retired_at: null,
  };
  await insertAuthority(books.tx, row);
  await reread(books);
  return row;
}
