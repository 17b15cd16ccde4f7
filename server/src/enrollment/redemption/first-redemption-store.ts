import { type RawBuilder, sql } from "kysely";
import { spendAllowance } from "../../access/access.ts";
import {
  insertCertificate,
  type SignedCertificate,
  type SignedValues,
  signedValues,
} from "../../certificates/certificates.ts";
import { leaseToDevice } from "../../connections/connections.ts";
import type { Database, Db } from "../../db/database.ts";
import { isUnavailable, refuse } from "../../db/refusal.ts";
import { type Parameters, runStatement, statement } from "../../db/statement.ts";
import {
  type EnrolledDeviceValues,
  insertEnrolledDevice,
  joinIntendedGroups,
  withTopics,
} from "../../devices/devices.ts";
import { TenantBatchers } from "../../lib/batching/tenant-batchers.ts";
import { askedRows, jsonOf, SIGNED_TYPES } from "../asked-rows-store.ts";
import { lockNumbers, takeNumbers } from "../claims/name-numbers-store.ts";
import { isInTime } from "../deadline-store.ts";
import { deviceValues, type NotRecorded, outcomeOf, type Redemption } from "./outcome.ts";

/** The first redemption of a device, ready to be recorded. */
export interface FirstRedemption extends Redemption {
  codeHmac: Buffer;
  /** The deadline by the clock of the database; `null` for none. */
  until: Date | null;
  issued: SignedCertificate;
  /** The round for `spendAllowance`. */
  quotaRound: string | null;
}

/** The details that the claim of a recorded redemption gives its device. */
export interface Enrolled {
  tenantSlug: string;
  publishTopics: string[];
  subscribeTopics: string[];
  /** Whether this was the last use of the claim. */
  usedUp: boolean;
}

interface FirstValues extends SignedValues, EnrolledDeviceValues {
  codeHmac: Buffer;
  until: Date | null;
  quotaRound: string | null;
}

const rows = askedRows<FirstValues>({
  ...SIGNED_TYPES,
  codeHmac: "bytea",
  until: "timestamptz",
  quotaRound: "uuid",
  deviceUid: "uuid",
  deviceId: "text",
  hardwareFingerprint: "text",
  fingerprintKey: "text",
  hardwareModel: "text",
  agentVersion: "text",
  agentCapabilities: "text[]",
  macAddress: "text",
});
const [asked, counted, redeemed] = [sql.ref("asked"), sql.ref("counted"), sql.ref("redeemed")];
const [claim, enrolled] = [sql.ref("claim"), sql.ref("enrolled")];

interface ManyValues {
  /** JSON: an array of objects with the values of each redemption. */
  asked: string;
  /** The tenant that owns the claims. */
  tenantId: string;
  /** The earliest time of a redemption. */
  now: Date;
}

type Sql = RawBuilder<unknown>;
type P = Parameters<ManyValues>;

/** The CTEs in the order in which they take effect: the quota, the claims, the device and what hangs on it. */
const enroll = statement<ManyValues, Enrolled & { deviceUid: string; recorded: boolean }>(
  "redeem-many",
  (p) => sql`WITH asked AS MATERIALIZED (${redemptionsOfNewDevices(p)}),
  quota AS MATERIALIZED (${spendQuota(p)}),
  locked AS MATERIALIZED (${lockOpenClaims(p)}),
  granted AS (${grantUses()}),
  counted AS (${countUses()}),
  redeemed AS (${redeemedClaims()}),
  numbers AS MATERIALIZED (${lockNumbers(p.tenantId, counted)}),
  taken AS (${takeNumbers(p.tenantId, redeemed)}),
  claim AS (${withDeviceNames()}),
  device AS (${insertEnrolledDevice(rows.valuesOf("c"), claim)}),
  named AS (${nameTenantAndType()}),
  enrolled AS (SELECT n.*, ${withTopics("n")} FROM named n),
  joined AS (${joinIntendedGroups(enrolled)}),
  ${leaseToDevice({ notAfter: sql.ref("s.notAfter"), now: p.now }, enrolled)},
  ${insertCertificate("device_cert_enrolled", rows.valuesOf("s"), enrolled, {
    publishTopics: sql.ref("s.publish_topics"),
    subscribeTopics: sql.ref("s.subscribe_topics"),
    issuedBy: sql`'claim:' || s.claim_id`,
    claimId: sql.ref("s.claim_id"),
  })}
  ${detailsUnlessIdInUse()}`,
);

/** Selects the redemptions of devices that have not enrolled before, which are looked up one by one by index. */
function redemptionsOfNewDevices(p: P): Sql {
  return sql`
    SELECT a.* FROM ${rows.from(p.asked)}
    WHERE (SELECT 1 FROM shared_devices d WHERE d.tenant_id = ${p.tenantId}::uuid AND d.fingerprint_key = a."fingerprintKey"
      AND d.deleted_at IS NULL LIMIT 1) IS NULL`;
}

/** Checks the rounds of the quota. Their lock comes before those of claims, as in a transaction that counts. */
function spendQuota(p: P): Sql {
  return sql`
    SELECT bool_and(${spendAllowance(p.tenantId, "devices", sql.ref("r.round"))}) AS is_open
    FROM (SELECT DISTINCT "quotaRound" AS round FROM ${asked}) r`;
}

/**
 * Locks the claims in the order of their ids, so that two statements never deadlock. After a wait for a lock,
 * PostgreSQL evaluates the condition and `uses_left` on the new version of the claim: when two requests race for the
 * last use, the second one gets no row. Tenant and status are compared as one row value so that the planner does not
 * choose the index of open claims.
 */
function lockOpenClaims(p: P): Sql {
  return sql`
    SELECT l.*, clock_timestamp() AS locked_at FROM (
      SELECT c.id, c.code_hmac, c.expires_at, c.max_uses - c.used_count AS uses_left FROM claims c
      WHERE (SELECT is_open FROM quota) AND c.code_hmac = ANY (ARRAY(SELECT "codeHmac" FROM ${asked}))
        AND (c.tenant_id, c.status) IS NOT DISTINCT FROM (${p.tenantId}::uuid, 'pending') AND c.device_uid IS NULL
      ORDER BY c.id FOR NO KEY UPDATE) l`;
}

/** Selects at most as many redemptions per claim as it has uses left (spec 3.1 rule 1). */
function grantUses(): Sql {
  return sql`
    SELECT g.* FROM (
      SELECT a.*, l.id AS claim_id, l.uses_left, row_number() OVER (PARTITION BY l.id) AS place
      FROM locked l JOIN ${asked} a ON a."codeHmac" = l.code_hmac
      WHERE l.expires_at > a.now AND ${isInTime(sql.ref("a.until"), sql.ref("l.locked_at"))}) g
    WHERE g.place <= g.uses_left`;
}

function countUses(): Sql {
  return sql`
    UPDATE claims c SET used_count = used_count + w.uses, last_redeemed_at = w.now,
      status = CASE WHEN used_count + w.uses = max_uses THEN 'used' ELSE status END
    FROM (SELECT claim_id, count(*)::int AS uses, max(now) AS now FROM granted GROUP BY claim_id) w
    WHERE c.id = w.claim_id AND c.id = ANY (ARRAY(SELECT id FROM locked))
    RETURNING c.id, tenant_id, status, intended_name, intended_device_type_id, intended_group_ids`;
}

/** Selects the granted redemptions with what their claims intend. */
function redeemedClaims(): Sql {
  return sql`
    SELECT g.*, c.tenant_id, c.status, c.intended_name, c.intended_device_type_id, c.intended_group_ids
    FROM counted c JOIN granted g ON g.claim_id = c.id`;
}

/** Selects the redemptions with the names of their devices: by the template of the claim, each with its own number. */
function withDeviceNames(): Sql {
  return sql`
    SELECT r.*, name_of_device(r.intended_name,
      t.before + row_number() OVER (PARTITION BY r.intended_name ORDER BY r.claim_id, r.place),
      r."hardwareFingerprint") AS device_name
    FROM ${redeemed} r LEFT JOIN taken t ON t.template = r.intended_name`;
}

/** Selects the new devices with the tenant's slug and the topic templates of their types. */
function nameTenantAndType(): Sql {
  return sql`
    SELECT c.*, d.device_uid, d.device_id, t.slug, 't/' || t.slug AS prefix,
      y.publish_topics AS publish_templates, y.subscribe_topics AS subscribe_templates
    FROM ${claim} c JOIN device d ON d.device_uid = c."deviceUid" JOIN shared_tenants t ON t.id = c.tenant_id
    LEFT JOIN shared_device_types y ON y.id = c.intended_device_type_id`;
}

/** Selects the answers. The statement aborts if the client id of one device could not be leased. */
function detailsUnlessIdInUse(): Sql {
  return sql`SELECT device_uid AS "deviceUid", status = 'used' AS "usedUp", slug AS "tenantSlug",
      publish_topics AS "publishTopics", subscribe_topics AS "subscribeTopics",
      CASE WHEN EXISTS (SELECT 1 FROM leased l WHERE l.client_id = device_id) THEN true
        ELSE ${refuse("client_id_in_use")} END AS recorded
    FROM ${enrolled}`;
}

/**
 * Records first redemptions of one tenant's devices, with its claims, in one atomic statement: the uses of the claims,
 * the devices, their groups, the leases of their client ids, the certificates and the audit entries. No two of them may
 * share a hardware fingerprint or key.
 *
 * @returns the details from each claim, in the same order. A refusal that concerns a batch of several is thrown as an
 * error.
 */
export async function enrollDevices(
  db: Db,
  tenantId: string,
  redemptions: readonly FirstRedemption[],
): Promise<(Enrolled | NotRecorded)[]> {
  const now = new Date(Math.min(...redemptions.map((each) => each.now.getTime())));
  const values = { asked: jsonOf(redemptions.map(valuesOf)), tenantId, now };
  try {
    const recorded = new Map((await runStatement(db, enroll, values)).map((row) => [row.deviceUid, row]));
    return redemptions.map(({ device }) => recorded.get(device.uid) ?? "changed");
  } catch (error) {
    if (redemptions.length > 1) throw error;
    return [outcomeOf(error)];
  }
}

function valuesOf(redemption: FirstRedemption): FirstValues {
  const { codeHmac, until, quotaRound, issued, auditId, now } = redemption;
  return { codeHmac, until, quotaRound, ...deviceValues(redemption), ...signedValues(issued, auditId, now) };
}

/** Whether an error concerns every redemption of a statement. */
export const failsWholeBatch = isUnavailable;

/**
 * The greatest batch. It is small enough that, of some tens of devices, others are read, signed and answered while a
 * statement runs. With one big batch, the devices and the database would wait for each other in turn. A statement also
 * locks its claims until its commit.
 */
const MOST_AT_ONCE = 16;

/**
 * Records first redemptions. Under load, one statement records many of a tenant, which share its fixed costs and its
 * commit.
 */
export type FirstRedemptions = TenantBatchers<FirstRedemption, Enrolled | NotRecorded>;

export function createFirstRedemptions({ db }: Pick<Database, "db">): FirstRedemptions {
  return new TenantBatchers((tenantId) => ({
    most: MOST_AT_ONCE,
    // Two devices with one fingerprint conflict, and two with one key create a finding, so they never share a
    // statement.
    keysOf: ({ reported, issued }) => [reported.fingerprintKey, issued.spkiSha256.toString("base64")],
    run: (redemptions) => enrollDevices(db, tenantId, redemptions),
    failsWholeBatch,
  }));
}
