import { type AccessEndings, carryAccessEndings, endPasswords, readAccessEndings } from "../access/access.ts";
import { hasEntries, type NewestEntries } from "../audit/audit.ts";
import { readMasterKeyCheck } from "../authorities/authorities.ts";
import {
  type CertificateEndings,
  carryCertificateEndings,
  readCertificateEndings,
} from "../certificates/certificates.ts";
import { type ClientEndings, carryClientEndings, readClientEndings } from "../connections/connections.ts";
import type { Db, Tx } from "../db/database.ts";
import { carryEndedClaims, readEndedClaims } from "../enrollment/enrollment.ts";
import { carryFactors, type FactorEndings, readFactorEndings } from "../identity/identity.ts";
import type { Ids } from "../lib/ids.ts";

/** What had ended in a later state of the database that a backup is restored over: a restore brings back data, never access. */
export interface LaterState {
  masterKeyCheck: string | undefined;
  access: AccessEndings;
  factors: FactorEndings;
  clients: ClientEndings;
  certificates: CertificateEndings;
  claims: string[];
}

/** How many records of the backup were changed, because they had been in the later state. */
export interface Carried {
  users: number;
  apiKeys: number;
  mqttClients: number;
  claims: number;
  certificates: number;
}

/**
 * Reads what has ended in `db`; `undefined` when it is no later state of the database with these newest entries, such as a new one: then it
 * does not know.
 */
export async function readLaterState(db: Db, newestOfBackup: NewestEntries): Promise<LaterState | undefined> {
  if (!(await hasEntries(db, newestOfBackup))) return undefined;
  return {
    masterKeyCheck: await readMasterKeyCheck(db),
    access: await readAccessEndings(db),
    factors: await readFactorEndings(db),
    clients: await readClientEndings(db),
    certificates: await readCertificateEndings(db),
    claims: await readEndedClaims(db),
  };
}

/** Ends in a restored database what has ended in its later state. */
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
