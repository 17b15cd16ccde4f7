import type { Db } from "../db/database.ts";
import { runRaw } from "../db/database.ts";
import { liftTimeLimit } from "../db/time-limit.ts";

export { liftTimeLimit as takeYourTime };

/** How many of the things that break a rule are named. */
const EXAMPLES = 5;

/** Asks one question of `invariants.ts`. @returns how many things break it and the first few by name */
export async function ask(tx: Db, question: string, now: Date): Promise<{ broken: number; examples: string[] }> {
  const rows = await runRaw<{ what: string; total: string }>(
    tx,
    `WITH asked AS (SELECT $1::timestamptz), found AS (${question})
     SELECT what, count(*) OVER () AS total FROM found ORDER BY what LIMIT ${EXAMPLES}`,
    [now],
  );
  return { broken: Number(rows[0]?.total ?? 0), examples: rows.map((row) => row.what) };
}

export interface StoredCertificate {
  id: string;
  device_id: string;
  serial_number: string;
  fingerprint_sha256: string;
  spki_sha256: Uint8Array;
  subject: string;
  not_before: Date;
  not_after: Date;
  der: Uint8Array;
}

/** The next `limit` certificates after `after`, in the order of their ids. */
export async function nextCertificates(db: Db, after: string, limit: number): Promise<StoredCertificate[]> {
  return await db
    .selectFrom("certificates")
    .select([
      "id",
      "device_id",
      "serial_number",
      "fingerprint_sha256",
      "spki_sha256",
      "subject",
      "not_before",
      "not_after",
      "der",
    ])
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}
