/**
 * A table to fill: its columns, and the values of row `n` of tenant `t` with the key `id`, created `at`. `rare` and `common` are ids of a group,
 * a type, a pack and a user of the tenant: what the oldest rows have, and what every second or fifth one has.
 */
type Content = readonly [columns: string, values: string];

/** How many rows, the oldest of the list, have the rare values: a walk from the newest to the oldest finds them last. */
const RARE_ROWS = 20;

const IN_TURN = (n: number, some: string, others: string) => `CASE WHEN n % ${n} = 0 THEN ${some} ELSE ${others} END`;
const RARELY = (some: string, others: string) => `CASE WHEN n <= ${RARE_ROWS} THEN ${some} ELSE ${others} END`;
const OF_DEVICE = "device_uid, device_id";

export const CONTENTS = {
  devices: [
    `uid, tenant_id, id, name, device_type_id, hardware_model, agent_version, connectivity, created_at, updated_at,
     certificate_until, certificate_kind, certificate_renew_after, certificate_revoked`,
    `id, t, 'pump-' || n, 'Feed pump ' || n, ${RARELY("rare", IN_TURN(2, "common", "NULL"))}, 'PG-200', '2.4.1',
     ${RARELY("'never_seen'", IN_TURN(10, "'online'", "'offline'"))}, at, at,
     ${RARELY("now() - interval '1 day'", "now() + make_interval(days => (5 + n % 28)::int)")}, 'self_enrolled',
     ${RARELY("NULL", "now() + make_interval(days => (1 + n % 20)::int)")}, false`,
  ],
  certificates: [
    `id, tenant_id, ${OF_DEVICE}, kind, serial_number, fingerprint_sha256, spki_sha256, der, subject, publish_topics,
     subscribe_topics, issued_at, not_before, not_after, issued_by, revoked_at, revoked_by, revocation_reason`,
    `id, t, id, 'pump-' || n, ${RARELY("'platform'", "'self_enrolled'")}, md5(id::text), encode(sha256(id::text::bytea), 'hex'),
     sha256(id::text::bytea), decode(md5(id::text), 'hex'), 'CN=pump-' || n, ARRAY['t/bench/pump-' || n], '{}',
     at, at, ${RARELY("now() - interval '1 day'", "now() + make_interval(days => (1 + n % 300)::int)")}, 'bench', ${IN_TURN(3, "at", "NULL")},
     ${IN_TURN(3, "'bench'", "NULL")}, ${IN_TURN(3, "'requested'", "NULL")}`,
  ],
  certificate_audit: [
    "id, tenant_id, kind, at, actor, device_id, certificate_id, serial_number, fingerprint_sha256",
    `id, t, ${RARELY("'device_cert_minted'", IN_TURN(3, "'device_cert_revoked'", "'device_cert_enrolled'"))}, at,
     ${RARELY("'apikey:rare'", IN_TURN(2, "'apikey:common'", "'bench'"))}, 'pump-' || n, id, md5(id::text), encode(sha256(id::text::bytea), 'hex')`,
  ],
  admin_audit: [
    "id, tenant_id, at, actor, act, target",
    `id, t, at, ${RARELY("'user:rare'", IN_TURN(2, "'user:common'", "'system'"))},
     ${RARELY("'group.delete'", IN_TURN(2, "'user.update'", "'device.update'"))}, ${RARELY("rare::text", "id::text")}`,
  ],
  api_audit: [
    "id, tenant_id, at, key_id, operation, resource, resource_id, result, request_id",
    `id, t, at, ${RARELY("'rarerare'", IN_TURN(2, "'common00'", "'others00'"))}, ${RARELY("'deleteGroup'", IN_TURN(2, "'updateDevice'", "'createClaim'"))},
     ${RARELY("'group'", IN_TURN(2, "'device'", "'claim'"))}, ${RARELY("rare::text", "'pump-' || n")},
     ${RARELY("'deleted'", IN_TURN(2, "'updated'", "'created'"))}, id::text`,
  ],
  claims: [
    "id, tenant_id, code_hmac, code_hint, intended_name, status, max_uses, used_count, expires_at, created_at, created_by",
    `id, t, sha256(id::text::bytea), 'wxyz', 'Feed pump', ${RARELY("'revoked'", IN_TURN(4, "'used'", "'pending'"))}, 1,
     ${RARELY("0", IN_TURN(4, "1", "0"))}, at + interval '1 day', at, 'bench'`,
  ],
  groups: ["id, tenant_id, name, created_at, updated_at", "id, t, 'Hall ' || n, at, at"],
  shifts: [
    "id, tenant_id, name, time_zone, start_time, end_time, days_of_week, created_at, updated_at",
    "id, t, 'Early ' || n, 'Europe/Vienna', '06:00', '14:00', '{mon,tue}', at, at",
  ],
  thresholds: [
    "id, tenant_id, name, rules, created_at, updated_at",
    `id, t, 'Bearing ' || n,
     json_build_array(json_build_object('id', id, 'metric', 'temp', 'operator', 'gt', 'value', 80, 'severity', 'major')),
     at, at`,
  ],
  anomalies: [
    `id, tenant_id, ${OF_DEVICE}, threshold_id, rule_id, metric, value, breached, severity, status, message, opened_at,
     last_observed_at, occurrences, resolved_at, resolved_by`,
    `id, t, id, 'pump-' || n, ${RARELY("rare", "common")}, id, 'temp', '93', '80', ${RARELY("'critical'", IN_TURN(2, "'major'", "'minor'"))},
     ${IN_TURN(5, "'open'", "'resolved'")}, 'temp is above 80', at, at, 1, ${IN_TURN(5, "NULL", "at")}, ${IN_TURN(5, "NULL", "'system'")}`,
  ],
  tickets: [
    `id, tenant_id, number, title, type, priority, status, ${OF_DEVICE}, group_id, assignee_user_id, due_at, created_by, created_at, updated_at`,
    `id, t, n, 'Grease ' || n, ${RARELY("'inspection'", IN_TURN(2, "'preventive'", "'corrective'"))}, ${RARELY("'urgent'", IN_TURN(2, "'low'", "'medium'"))},
     ${IN_TURN(6, "'cancelled'", "'open'")}, id, 'pump-' || n, ${RARELY("rare", IN_TURN(5, "common", "NULL"))},
     ${RARELY("rare", IN_TURN(5, "common", "NULL"))}, ${RARELY("at", "at + interval '15 years'")}, 'bench', at, at`,
  ],
  deliveries: [
    "id, tenant_id, type, channel, target, user_id, group_id, anomaly_id, payload, created_at, next_at, state, done_at, digest_id",
    `id, t, 'anomaly.opened', ${RARELY("'webhook'", "'email'")}, 'someone@bench.example', ${RARELY("rare", "common")},
     ${RARELY("rare", "common")}, id, '{}', at, at, ${RARELY("'failed'", IN_TURN(5, "'digested'", "'sent'"))}, at,
     ${RARELY("NULL", IN_TURN(5, "id", "NULL"))}`,
  ],
} as const satisfies Record<string, Content>;

export type LongList = keyof typeof CONTENTS;

/** The devices that are in the tenant's groups `rare` and `common`, by their uids: those of the lists that name devices, too. */
export const GROUPS_OF_DEVICES = `INSERT INTO device_groups (device_uid, group_id)
  SELECT id, ${RARELY("rare", "common")} FROM rows WHERE n <= ${RARE_ROWS} OR n % 10 = 5`;
