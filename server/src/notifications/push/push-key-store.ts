import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { PushKey } from "./encrypt.ts";

/** The name that the private key is bound to. */
const OWNER = "push key";

/** Returns the public key, an uncompressed point, if there is a key pair. */
export async function findPublicKey(db: Db): Promise<Buffer | undefined> {
  const { rows } = await sql<{ public_key: Buffer }>`SELECT public_key FROM push_keys`.execute(db);
  return rows[0]?.public_key;
}

/** Returns the public key; the first call makes the key pair, also when two come at the same time. */
export async function makePublicKey({ clock, database, secrets }: NotificationsDeps): Promise<Buffer> {
  const found = await findPublicKey(database.db);
  if (found) return found;
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")]);
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  await inTransaction(database.db, async (tx) => {
    const sealed = await secrets.seal(tx, der, OWNER);
    await sql`
      INSERT INTO push_keys (public_key, sealed, created_at) VALUES (${point}, ${sealed}, ${clock.now()})
      ON CONFLICT DO NOTHING`.execute(tx);
  });
  return (await findPublicKey(database.db))!;
}

/** Reads the key pair, locked against a rotation of the master key. */
export async function openPushKey(tx: Tx, { secrets }: Pick<NotificationsDeps, "secrets">): Promise<PushKey> {
  const { rows } = await sql<{ sealed: Buffer }>`SELECT sealed FROM push_keys FOR SHARE`.execute(tx);
  const privateKey = createPrivateKey({
    key: await secrets.open(tx, rows[0]!.sealed, OWNER),
    format: "der",
    type: "pkcs8",
  });
  const { x, y } = createPublicKey(privateKey).export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")]);
  return { privateKey, publicKey: point };
}

/** Re-encrypts the private key after the master key rotation in `tx`. */
export async function encryptPushKeyAgain(tx: Tx, reseal: (sealed: Buffer, owner: string) => Buffer): Promise<void> {
  const { rows } = await sql<{ sealed: Buffer }>`SELECT sealed FROM push_keys FOR NO KEY UPDATE`.execute(tx);
  for (const { sealed } of rows) await sql`UPDATE push_keys SET sealed = ${reseal(sealed, OWNER)}`.execute(tx);
}
