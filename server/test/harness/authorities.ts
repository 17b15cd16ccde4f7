import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { sql } from "kysely";
import {
  type Authorities,
  type AuthorityStatus,
  createAuthorities,
  fixedMasterKey,
} from "../../src/authorities/authorities.ts";
import { type Database, openDatabase } from "../../src/db/database.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { Secret } from "../../src/lib/secret.ts";
import { issueLeaf, type LeafProfile, newSerialNumber, selfEnrolled } from "../../src/pki/pki.ts";
import { openTestDatabase, PATIENT } from "./database/database.ts";
import { FakeClock } from "./fake-clock.ts";

export const MASTER_KEY = Buffer.alloc(32, 7);

/** A database with several {@link Authorities} as its processes, and the clock that they share. */
export interface CaEnvironment {
  readonly database: Database;
  readonly clock: FakeClock;
  /** Returns another process on the same database, with its own pool on PostgreSQL. */
  process(options?: { publicHost?: string; masterKey?: Buffer }): Promise<Authorities>;
}

/**
 * Returns a function that creates a test file's environments. Each starts without authorities: databases are emptied
 * and reused.
 */
export function caEnvironments(): (t: TestContext) => Promise<CaEnvironment> {
  const spare: OpenDatabase[] = [];
  after(async () => {
    for (const database of spare) {
      await database.close();
      await database.remove();
    }
  });
  return async (t) => {
    const database = spare.pop() ?? (await openTestDatabase());
    return environmentOn(database, t, () => spare.push(database));
  };
}

type OpenDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

function environmentOn(database: OpenDatabase, t: TestContext, emptied: () => void): CaEnvironment {
  const clock = new FakeClock();
  const open: { close(): Promise<void> }[] = [];
  t.after(async () => {
    for (const each of open.reverse()) await each.close();
    await sql`DELETE FROM authorities`.execute(database.db);
    await sql`DELETE FROM settings`.execute(database.db);
    emptied();
  });
  return {
    database,
    clock,
    process: async ({ publicHost = "muster.example", masterKey = MASTER_KEY } = {}) => {
      const own = database.url === undefined ? database : await anotherPool(database.url);
      if (own !== database) open.push(own);
      const authorities = await createAuthorities({
        database: own,
        clock,
        ids: randomIds,
        logger: createLogger("silent"),
        masterKeys: fixedMasterKey(new Secret(masterKey)),
        publicHost,
        encryptAgain: [],
      });
      open.push(authorities);
      return authorities;
    },
  };
}

function anotherPool(url: string): Promise<Database> {
  return openDatabase({ url, dataDir: "memory", timeLimits: PATIENT, logger: createLogger("silent") });
}

/** A leaf with its chain, as enrollment issues it. */
export async function leafFrom(authorities: Authorities, now: Date, profile: LeafProfile = selfEnrolled) {
  const { signer, chainPem } = authorities.issuer();
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ format: "der", type: "spki" });
  const leaf = await issueLeaf(
    { profile, commonName: "pump-1", serialNumber: newSerialNumber(randomIds), spki, now },
    signer,
  );
  return { ...leaf, chainPem };
}

/** Returns the generations of one role by status, oldest first. */
export function statusesOf(all: readonly AuthorityStatus[], role: AuthorityStatus["role"]): string[] {
  return all.filter((each) => each.role === role).map(({ status }) => status);
}

/**
 * Runs `openssl verify -x509_strict` as of `at`.
 * @throws Error with OpenSSL's output if it rejects the chain
 */
export function opensslVerify(given: {
  certificate: string;
  roots: string;
  chain?: string;
  purpose: "sslclient" | "sslserver";
  host?: string;
  at: Date;
}): void {
  const folder = mkdtempSync(join(tmpdir(), "muster-ca-"));
  try {
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const args = ["verify", "-x509_strict", "-attime", String(Math.floor(given.at.getTime() / 1000))];
    args.push("-purpose", given.purpose, "-no-CApath", "-CAfile", file("roots.pem", given.roots));
    if (given.chain !== undefined) args.push("-untrusted", file("chain.pem", given.chain));
    if (given.host !== undefined) args.push("-verify_hostname", given.host);
    execFileSync("openssl", [...args, file("certificate.pem", given.certificate)], { stdio: "pipe" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
