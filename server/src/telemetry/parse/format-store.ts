import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { PayloadSettings } from "../../devices/devices.ts";

/** A device and its type, if it has one. */
export interface TypeOfDevice {
  uid: string;
  type: string | null;
}

const typesOfDevices = statement<{ uids: string }, TypeOfDevice>(
  "types-of-devices",
  (p) => sql`SELECT d.uid, d.device_type_id AS type FROM unnest(${p.uids}::text::uuid[]) AS asked (uid)
  JOIN shared_devices d ON d.uid = asked.uid`,
);

const settingsOfTypes = statement<{ ids: string }, PayloadSettings & { id: string }>(
  "payload-settings-of-types",
  (p) => sql`SELECT y.id, y.payload_format AS "payloadFormat", y.metrics
  FROM unnest(${p.ids}::text::uuid[]) AS asked (id) JOIN shared_device_types y ON y.id = asked.id`,
);

/** Loads the types of devices. Missing devices are left out. */
export async function loadTypesOfDevices(db: Db, uids: readonly string[]): Promise<TypeOfDevice[]> {
  return await runStatement(db, typesOfDevices, { uids: plainArray(uids) });
}

/** Loads the settings of device types. Missing types are left out. */
export async function loadPayloadSettings(
  db: Db,
  ids: readonly string[],
): Promise<(PayloadSettings & { id: string })[]> {
  return await runStatement(db, settingsOfTypes, { ids: plainArray(ids) });
}

/** Returns the settings of one type of the tenant; `undefined` if it has none with this id. */
export async function findPayloadSettings(db: Db, tenantId: string, id: string): Promise<PayloadSettings | undefined> {
  const { rows } = await sql<PayloadSettings>`SELECT payload_format AS "payloadFormat", metrics
    FROM shared_device_types WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(db);
  return rows[0];
}
