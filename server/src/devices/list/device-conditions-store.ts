import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type ViewedGroups, visibleDevice } from "../../access/access.ts";
import { createdBetween } from "../../lists/created-between.ts";
import { negated } from "../../lists/negated.ts";
import { isOneOf } from "../../lists/one-of.ts";
import { type CertificateState, isInState } from "../certificate-state-store.ts";
import type { Connectivity } from "../device-view-store.ts";
import { lastSeenAt } from "../last-seen-store.ts";

/** Properties that a device has, or does not have. For a property with several values, one suffices. */
export interface DeviceProperties {
  /** Its groups; `null`: in no group. */
  groupId?: OneOrMore<string | null> | undefined;
  /** `null`: without a type. */
  deviceTypeId?: OneOrMore<string | null> | undefined;
  /** A threshold pack that watches the device, through its own assignment or its type's. */
  thresholdId?: OneOrMore<string> | undefined;
  connectivity?: Connectivity | readonly Connectivity[] | undefined;
  certificateState?: CertificateState | readonly CertificateState[] | undefined;
  /** Fields of its metadata, each with the wanted values as text; no value: the field exists. */
  metadata?: readonly MetadataProperty[] | undefined;
}

export type OneOrMore<T> = T | readonly T[];

export interface MetadataProperty {
  field: string;
  values: readonly string[];
}

export interface DeviceFilter extends DeviceProperties {
  /** Properties that a device must not have. */
  not?: DeviceProperties | undefined;
  /** Created at or after this time. */
  createdFrom?: Date | undefined;
  /** Created before this time. */
  createdBefore?: Date | undefined;
  /** Seen at or after this time. */
  seenFrom?: Date | undefined;
  /** Last seen before this time; excludes devices that were never seen. */
  seenBefore?: Date | undefined;
  /** Only devices that are visible to a user with these groups. */
  viewer?: ViewedGroups | undefined;
}

/** Returns SQL conditions on the device `d`, with `withLastSeen` joined to it; none if the filter is empty. */
export function deviceConditions(filter: DeviceFilter, now: Date): RawBuilder<unknown>[] {
  const { not = {}, createdFrom, createdBefore, seenFrom, seenBefore, viewer } = filter;
  const conditions = [...propertyConditions(filter, now), ...negated(propertyConditions(not, now))];
  conditions.push(...createdBetween("d.uid", { from: createdFrom, to: createdBefore }));
  if (seenFrom !== undefined) conditions.push(sql`${lastSeenAt} >= ${seenFrom}::timestamptz`);
  if (seenBefore !== undefined) conditions.push(sql`${lastSeenAt} < ${seenBefore}::timestamptz`);
  if (viewer !== undefined) conditions.push(visibleDevice(viewer, "d.uid"));
  for (const { values } of filter.metadata?.filter(isIndexed) ?? []) conditions.push(isOneOf(dependsOn, values));
  return conditions;
}

function propertyConditions(
  { groupId, deviceTypeId, thresholdId, connectivity, certificateState: states }: DeviceProperties,
  now: Date,
): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (groupId !== undefined) conditions.push(anyOf(groupId, inGroup));
  if (deviceTypeId !== undefined) conditions.push(anyOf(deviceTypeId, hasType));
  if (thresholdId !== undefined) conditions.push(anyOf(thresholdId, isWatchedBy));
  if (connectivity !== undefined) conditions.push(isOneOf(sql`d.connectivity`, connectivity));
  if (states !== undefined) conditions.push(isInOneOf(states, now));
  return conditions;
}

/** SQL: the id of the device on which `d` depends, as in the index `devices_depends_on`. */
const dependsOn = sql<string>`(d.metadata ->> 'dependsOn')`;

function isIndexed({ field, values }: MetadataProperty): boolean {
  return field === "dependsOn" && values.length > 0;
}

/** Returns the conditions on the metadata of the device `d` that no index finds. */
export function metadataConditions({ metadata = [], not = {} }: DeviceFilter): RawBuilder<unknown>[] {
  const searched = metadata.filter((each) => !isIndexed(each));
  return [...searched.map(hasField), ...negated((not.metadata ?? []).map(hasField))];
}

function anyOf<T extends string | null>(
  wanted: OneOrMore<T>,
  condition: (value: T) => RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  const values = Array.isArray(wanted) ? (wanted as readonly T[]) : [wanted as T];
  return values.length === 1
    ? condition(values[0]!)
    : sql<SqlBool>`(${sql.join([sql`false`, ...values.map(condition)], sql` OR `)})`;
}

function hasType(deviceTypeId: string | null): RawBuilder<SqlBool> {
  if (deviceTypeId === null) return sql`d.device_type_id IS NULL`;
  return sql`d.device_type_id = ${deviceTypeId}::uuid`;
}

function hasField({ field, values }: MetadataProperty): RawBuilder<SqlBool> {
  return values.length === 0
    ? sql`jsonb_exists(d.metadata, ${field}::text)`
    : sql`coalesce(d.metadata ->> ${field}::text = ANY (${[...values]}::text[]), false)`;
}

function inGroup(groupId: string | null): RawBuilder<SqlBool> {
  if (groupId === null) return sql`NOT EXISTS (SELECT 1 FROM device_groups g WHERE g.device_uid = d.uid)`;
  return sql`EXISTS (SELECT 1 FROM device_groups g WHERE g.device_uid = d.uid AND g.group_id = ${groupId}::uuid)`;
}

function isWatchedBy(thresholdId: string): RawBuilder<SqlBool> {
  return sql`(EXISTS (SELECT 1 FROM device_thresholds w WHERE w.device_uid = d.uid AND w.threshold_id = ${thresholdId}::uuid)
    OR EXISTS (SELECT 1 FROM device_type_thresholds w WHERE w.device_type_id = d.device_type_id
                  AND w.threshold_id = ${thresholdId}::uuid))`;
}

function isInOneOf(states: CertificateState | readonly CertificateState[], now: Date): RawBuilder<unknown> {
  const conditions = [states].flat().map((state) => isInState(state, sql`${now}`));
  return sql`(${sql.join(conditions, sql` OR `)})`;
}
