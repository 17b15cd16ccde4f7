import { type AccessEndings, carryAccessEndings, endPasswords, readAccessEndings } from "../access/access.ts";
import { hasEntries, type NewestEntries, newestEntries } from "../audit/audit.ts";
import { readMasterKeyCheck } from "../authorities/authorities.ts";
import {
  type CertificateEndings,
  carryCertificateEndings,
  countUnknownDevices,
  type LaterCertificate,
  listIssuedSince,
  newestIssue,
  readCertificateEndings,
} from "../certificates/certificates.ts";
import { type ClientEndings, carryClientEndings, readClientEndings } from "../connections/connections.ts";
import type { Db, Tx } from "../db/database.ts";
import { carryEndedClaims, readEndedClaims } from "../enrollment/enrollment.ts";
import { carryFactors, type FactorEndings, readFactorEndings } from "../identity/identity.ts";
import type { Ids } from "../lib/ids.ts";

/**
 * The endings in a later state of the database over which a backup is restored: a restore brings back data, never
 * access.
 */
export interface LaterState {
  masterKeyCheck: string | undefined;
  access: AccessEndings;
  factors: FactorEndings;
  clients: ClientEndings;
  certificates: CertificateEndings;
  /** Valid certificates, including all that were issued after the earlier state. */
  issued: LaterCertificate[];
  claims: string[];
}

/** The end of an earlier state of a database, which identifies a later one. */
export interface EarlierState {
  newest: NewestEntries;
  newestIssue: Date | null;
}

/** Reads the end of the present state. @param before leaves out audit entries from this time on */
export async function endOfState(db: Db, before?: Date): Promise<EarlierState> {
  return { newest: await newestEntries(db, before), newestIssue: await newestIssue(db) };
}

/** The numbers of records in the backup that were changed to match the later state. */
export interface Carried {
  users: number;
  apiKeys: number;
  mqttClients: number;
  claims: number;
  certificates: number;
}

/**
 * Reads what has ended in `db`. Returns `undefined` if it is not a later state than `earlier`, such as a new database,
 * and therefore does not know.
 *
 * @param db a transaction if others may write at the same time
 */
export async function readLaterState(db: Db, earlier: EarlierState): Promise<LaterState | undefined> {
  if (!(await hasEntries(db, earlier.newest))) return undefined;
  return {
    masterKeyCheck: await readMasterKeyCheck(db),
    access: await readAccessEndings(db),
    factors: await readFactorEndings(db),
    clients: await readClientEndings(db),
    certificates: await readCertificateEndings(db),
    issued: await listIssuedSince(db, earlier.newestIssue),
    claims: await readEndedClaims(db),
  };
}

/** Ends in a restored database what had ended in its later state. */
export async function carryEndings(tx: Tx, later: LaterState, { ids, now }: { ids: Ids; now: Date }): Promise<Carried> {
  const actor = "system";
  const { users, apiKeys } = await carryAccessEndings(tx, later.access);
  const isReadable = later.masterKeyCheck === (await readMasterKeyCheck(tx));
  // A user whose factor was sealed under another master key would sign in without one.
  await endPasswords(tx, await carryFactors(tx, later.factors, isReadable));
  return {
    users,
    apiKeys,
    mqttClients: await carryClientEndings(tx, later.clients, now),
    claims: await carryEndedClaims(tx, later.claims, actor, now),
    certificates: await carryCertificateEndings(tx, later.certificates, actor, { ids, now }),
  };
}

/**
 * Counts the devices that enrolled or renewed after the restored state. It does not contain their certificates, so they
 * must enroll again.
 */
export async function countDevicesToEnroll(tx: Tx, { issued }: LaterState, now: Date): Promise<number> {
  return await countUnknownDevices(tx, issued, now);
}
