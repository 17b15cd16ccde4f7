import { sql } from "kysely";
import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import { type BoundStatement, statement } from "../../db/statement.ts";
import type { RejectedMessage } from "../message.ts";
import { MAX_REJECTED_PER_DEVICE } from "../reading.ts";

interface RejectedValues {
  ids: string;
  tenantIds: string;
  deviceUids: string;
  times: string;
  topics: string;
  reasons: string;
  payloads: string;
  payloadBytes: string;
  storedValues: string;
  problems: string;
  problemCounts: string;
}

const insertRejected = statement<RejectedValues, object>(
  "store-rejected",
  (p) => sql`
  INSERT INTO rejected_messages (id, tenant_id, device_uid, at, topic, reason, payload, payload_bytes, stored_values, problems,
                                 problem_count)
  SELECT id, tenant_id, device_uid, to_timestamp(at / 1e6), topic, reason, payload, nullif(payload_bytes, octet_length(payload)),
         stored_values, problems::jsonb, problem_count
    FROM unnest(${p.ids}::text::uuid[], ${p.tenantIds}::text::uuid[], ${p.deviceUids}::text::uuid[], ${p.times}::text::float8[],
                ${p.topics}::text::text[], ${p.reasons}::text::text[], ${p.payloads}::text::bytea[],
                ${p.payloadBytes}::text::int[], ${p.storedValues}::text::int[], ${p.problems}::text::text[],
                ${p.problemCounts}::text::int[])
         AS u (id, tenant_id, device_uid, at, topic, reason, payload, payload_bytes, stored_values, problems, problem_count)`,
);

const trimRejected = statement<{ deviceUids: string }, object>(
  "trim-rejected",
  (p) => sql`
  DELETE FROM rejected_messages r
   WHERE r.device_uid IN (SELECT unnest(${p.deviceUids}::text::uuid[]))
     AND r.id NOT IN (SELECT k.id FROM rejected_messages k WHERE k.device_uid = r.device_uid
                       ORDER BY k.at DESC, k.id DESC LIMIT ${sql.lit(MAX_REJECTED_PER_DEVICE)})`,
);

/**
 * Stores `messages`, oldest first, and trims each of their devices to the newest {@link MAX_REJECTED_PER_DEVICE}.
 *
 * @param ids one id per message
 */
export function storeRejected(messages: readonly RejectedMessage[], ids: readonly string[]): BoundStatement[] {
  const deviceUids = plainArray(messages.map((message) => message.deviceUid));
  return [
    insertRejected.with({
      ids: plainArray(ids),
      tenantIds: plainArray(messages.map((message) => message.tenantId)),
      deviceUids,
      times: plainArray(messages.map((message) => message.at)),
      topics: textArray(messages.map((message) => message.topic)),
      reasons: textArray(messages.map((message) => message.reason)),
      payloads: bytesArray(messages.map((message) => message.payload)),
      payloadBytes: plainArray(messages.map((message) => message.payloadBytes)),
      storedValues: plainArray(messages.map((message) => message.storedValues)),
      problems: textArray(messages.map((message) => JSON.stringify(message.problems))),
      problemCounts: plainArray(messages.map((message) => message.problemCount)),
    }),
    trimRejected.with({ deviceUids }),
  ];
}
