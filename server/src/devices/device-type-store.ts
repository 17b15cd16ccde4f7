import { sql } from "kysely";
import type { Db } from "../db/database.ts";

export interface DeviceTypeRow {
  id: string;
  name: string;
  publish_topics: string[];
  subscribe_topics: string[];
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = ["id", "name", "publish_topics", "subscribe_topics", "created_at", "updated_at"] as const;

export async function insertDeviceType(db: Db, tenantId: string, row: DeviceTypeRow): Promise<void> {
  await db
    .insertInto("device_types")
    .values({
      ...row,
      tenant_id: tenantId,
      publish_topics: topics(row.publish_topics),
      subscribe_topics: topics(row.subscribe_topics),
    })
    .execute();
}

export interface DeviceTypeChange {
  name: string | undefined;
  publishTopics: string[] | undefined;
  subscribeTopics: string[] | undefined;
}

/** @returns the row as it is now; `undefined` when the tenant has none of this id */
export async function updateDeviceTypeRow(
  db: Db,
  tenantId: string,
  id: string,
  change: DeviceTypeChange,
  now: Date,
): Promise<DeviceTypeRow | undefined> {
  return await db
    .updateTable("device_types")
    .set({
      updated_at: now,
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.publishTopics === undefined ? {} : { publish_topics: topics(change.publishTopics) }),
      ...(change.subscribeTopics === undefined ? {} : { subscribe_topics: topics(change.subscribeTopics) }),
    })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** The slug of the tenant that owns the type: the shell names a type by its id alone. */
export async function findOwner(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("device_types as y")
    .innerJoin("tenants as t", "t.id", "y.tenant_id")
    .select("t.slug")
    .where("y.id", "=", id)
    .executeTakeFirst();
  return row?.slug;
}

/** Both drivers must be told that a JavaScript array is an SQL array here. */
function topics(value: string[]) {
  return sql<string[]>`${value}::text[]`;
}
