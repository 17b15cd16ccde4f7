import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { hash } from "./webhook-store.ts";

/**
 * The inputs to a webhook's secrets in addition to its owner and address: the current one, and the former one while
 * messages are also signed with it.
 */
export type SecretSeeds = readonly [present: string] | readonly [present: string, former: string];

/** The destination of a message. */
export interface SigningPlace {
  tenant_id: string;
  group_id: string | null;
  user_id?: string | null;
  target: string;
}

/** The webhook that receives a message. */
export interface SigningRow {
  /** Whether the address answered 410. */
  disabled: boolean;
  /** `undefined` if the group, or the user whose channel it is, does not name the webhook. */
  seeds: SecretSeeds | undefined;
}

/**
 * Reads the webhook of a group or, for a message to a user, of that user. The secrets of users' channels are derived
 * from their ids.
 */
export async function readSigning(
  db: Db,
  { tenant_id, group_id, user_id = null, target }: SigningPlace,
  now: Date,
): Promise<SigningRow> {
  const { rows } = await sql<{
    disabled: boolean;
    secret_seed: string | null;
    former_seed: string | null;
  }>`
    SELECT c.disabled_at IS NOT NULL OR ${user_id}::uuid IS NULL AND EXISTS (
             SELECT FROM disabled_webhooks d WHERE d.tenant_id = ${tenant_id} AND d.target_sha256 = ${hash(target)}) AS disabled,
           coalesce(w.secret_seed, c.id) AS secret_seed, CASE WHEN w.former_until > ${now} THEN w.former_seed END AS former_seed
      FROM (SELECT) one LEFT JOIN webhooks w
        ON w.tenant_id = ${tenant_id} AND w.group_id = ${user_id === null ? group_id : null}::uuid AND w.key = ${hash(target)}
      LEFT JOIN user_channels c
        ON c.tenant_id = ${tenant_id} AND c.user_id = ${user_id}::uuid AND c.type = 'webhook' AND c.target = ${target}`.execute(
    db,
  );
  const { disabled, secret_seed, former_seed } = rows[0]!;
  if (secret_seed === null) return { disabled, seeds: undefined };
  return { disabled, seeds: former_seed === null ? [secret_seed] : [secret_seed, former_seed] };
}
