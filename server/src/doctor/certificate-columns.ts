import { createHash, X509Certificate } from "node:crypto";
import type { Db } from "../db/types.ts";
import { nextCertificates, type StoredCertificate } from "./certificate-store.ts";

const BATCH = 500;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** Names every certificate whose columns do not match its DER. */
export async function* wrongCertificates(db: Db): AsyncGenerator<string> {
  let after = BEFORE_ALL;
  for (;;) {
    const rows = await nextCertificates(db, after, BATCH);
    for (const row of rows) {
      const wrong = wrongColumns(row);
      if (wrong.length > 0) yield `certificate ${row.id}: ${wrong.join(", ")}`;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

/** Returns the columns that do not match the DER. */
export function wrongColumns(row: StoredCertificate): string[] {
  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(row.der);
  } catch {
    return ["der"];
  }
  const serial = leaf.serialNumber.toLowerCase();
  const spki = leaf.publicKey.export({ format: "der", type: "spki" });
  const matches: Record<string, boolean> = {
    serial_number: sameSerial(serial, row.serial_number),
    fingerprint_sha256: sha256(row.der) === row.fingerprint_sha256,
    spki_sha256: sha256(spki) === Buffer.from(row.spki_sha256).toString("hex"),
    device_id: leaf.subject.split("\n").includes(`CN=${row.device_id}`),
    subject: row.subject.includes(row.device_id) && row.subject.includes(row.serial_number),
    not_before: leaf.validFromDate.getTime() === row.not_before.getTime(),
    not_after: leaf.validToDate.getTime() === row.not_after.getTime(),
  };
  return Object.keys(matches).filter((column) => !matches[column]);
}

function sameSerial(a: string, b: string): boolean {
  return a.replace(/^0+/, "") === b.replace(/^0+/, "");
}
