import type { Db } from "../db/types.ts";

/** A certificate as DER, with the values of the columns beside it. */
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

/** Returns the next `limit` certificates after the id `after`, in the order of their ids. */
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
