import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { FieldProblem } from "../parse/rejection.ts";
import { MAX_REJECTED_PER_DEVICE } from "../reading.ts";

export interface RejectedRow {
  id: string;
  at: Date;
  topic: string;
  reason: string;
  /** The payload, cut if it is long. */
  payload: Buffer;
  /** The size of the whole payload. */
  payloadBytes: number;
  /** The number of its values that are stored. */
  storedValues: number;
  /** The first fields that are not stored; empty if the message as a whole is at fault. */
  problems: FieldProblem[];
  /** The number of all fields that are not stored. */
  problemCount: number;
}

const selectRejected = statement<{ tenantId: string; deviceUid: string }, RejectedRow>(
  "rejected-messages",
  (p) => sql`
  SELECT r.id, r.at, r.topic, r.reason, r.payload,
         coalesce(r.payload_bytes, octet_length(r.payload)) AS "payloadBytes",
         r.stored_values AS "storedValues", r.problems, r.problem_count AS "problemCount"
    FROM rejected_messages r JOIN shared_devices d ON d.uid = r.device_uid
   WHERE d.tenant_id = ${p.tenantId}::uuid AND r.device_uid = ${p.deviceUid}::uuid
   ORDER BY r.at DESC, r.id DESC LIMIT ${sql.lit(MAX_REJECTED_PER_DEVICE)}`,
);

/** Lists the stored rejected messages of a device in the tenant, newest first. */
export async function listRejectedRows(db: Db, tenantId: string, deviceUid: string): Promise<RejectedRow[]> {
  return await runStatement(db, selectRejected, { tenantId, deviceUid });
}
