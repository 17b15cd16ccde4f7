import { mergePatch, withoutNull } from "./merge-patch.ts";
import type { PlantFile } from "./plant-file.ts";

/** An entry of the file, or a record of the API. */
// biome-ignore lint/suspicious/noExplicitAny: kinds have different fields, which the file's shape and the API check
export type Entry = Record<string, any>;

export type KindName = keyof PlantFile;

/** One operation of the public API. */
export interface Operation {
  operationId: string;
  params?: Record<string, string>;
  body?: unknown;
}

/** Translates the keys of the file to ids of the tenant, and back. */
export interface References {
  id(kind: KindName, key: string): string;
  key(kind: KindName, id: string): string;
}

/** A kind of record that a plant's description contains. */
export interface Kind {
  name: KindName;
  /** The noun in plans. */
  noun: string;
  /** The list of the public API. */
  path: string;
  /** The fields that contain keys of other kinds. */
  refers?: Readonly<Record<string, KindName>>;
  keyOf(entry: Entry): string;
  /** Returns the record as an entry of the file, every field included. */
  toEntry(record: Entry, references: References): Entry;
  /** Returns the entry with the defaults of absent parts within a field, so that equal entries compare equal. */
  normal?(entry: Entry): Entry;
  create(entry: Entry, references: References): Operation;
  /** Returns the operations that follow the creation. */
  complete?(id: string, entry: Entry, references: References): Operation[];
  /** Returns the operations that change the named fields; `undefined` if they cannot be changed. */
  update(id: string, changed: Entry, references: References, before: Entry): Operation[] | undefined;
  /** Absent for a kind that is never pruned. */
  remove?(id: string): Operation;
}

const keyOrName = ({ key, name }: Entry): string => key ?? name;
const externalIdOf = (entry: Entry) => ({ externalId: keyOrName(entry) });
const externalKey = ({ externalId, name }: Entry): string => externalId ?? name;

function without(entry: Entry, ...names: string[]): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}

/** Replaces the field `from`, a list of keys, by `to`, a list of ids; an absent list stays absent. */
function ids(entry: Entry, from: string, to: string, kind: KindName, references: References): Entry {
  const { [from]: given, ...others } = entry;
  return given === undefined ? others : { ...others, [to]: given.map((key: string) => references.id(kind, key)) };
}

const patch = (operationId: string, id: string, body: Entry): Operation[] =>
  Object.keys(body).length === 0 ? [] : [{ operationId, params: { id }, body }];

const UNORDERED = new Set(["eq", "ne"]);

/** Returns a rule with what its absent fields stand for. */
function normalRule({ id: _, and, or, ...rule }: Entry): Entry {
  const further = {
    ...(and?.length > 0 ? { and: and.map(normalCondition) } : {}),
    ...(or?.length > 0 ? { or: or.map(normalCondition) } : {}),
  };
  return { forSeconds: 0, clearForSeconds: 0, message: "", ...normalCondition(rule), ...further };
}

/** A counter that is not one is the same as an absent one. */
function normalCondition({ measure, ...condition }: Entry): Entry {
  const clearValue = UNORDERED.has(condition.operator) ? null : condition.value;
  const { counter, ...rest } = measure ?? {};
  return { clearValue, ...condition, ...(measure ? { measure: { ...rest, ...(counter ? { counter } : {}) } } : {}) };
}

const thresholds: Kind = {
  name: "thresholds",
  noun: "threshold pack",
  path: "/thresholds",
  keyOf: keyOrName,
  toEntry: (record) => ({
    key: externalKey(record),
    name: record.name,
    description: record.description,
    enabled: record.enabled,
    rules: record.rules.map(normalRule),
  }),
  normal: (entry) => ({ ...entry, rules: entry.rules.map(normalRule) }),
  create: (entry) => ({
    operationId: "createThreshold",
    body: { ...without(entry, "key"), ...externalIdOf(entry) },
  }),
  update: (id, changed) => patch("updateThreshold", id, changed),
  remove: (id) => ({ operationId: "deleteThreshold", params: { id } }),
};

const deviceTypes: Kind = {
  name: "deviceTypes",
  noun: "device type",
  path: "/device-types",
  refers: { thresholds: "thresholds" },
  keyOf: keyOrName,
  toEntry: (record, references) => ({
    key: externalKey(record),
    name: record.name,
    publishTopics: record.publishTopics,
    subscribeTopics: record.subscribeTopics,
    thresholds: record.thresholdIds.map((id: string) => references.key("thresholds", id)).sort(),
    silentForSeconds: record.silentForSeconds,
  }),
  create: (entry, references) => ({
    operationId: "createDeviceType",
    body: ids(
      { ...without(entry, "key"), ...externalIdOf(entry) },
      "thresholds",
      "thresholdIds",
      "thresholds",
      references,
    ),
  }),
  update: (id, changed, references) =>
    patch("updateDeviceType", id, ids(changed, "thresholds", "thresholdIds", "thresholds", references)),
  remove: (id) => ({ operationId: "deleteDeviceType", params: { id } }),
};

const shifts: Kind = {
  name: "shifts",
  noun: "shift",
  path: "/shifts",
  keyOf: keyOrName,
  toEntry: (record) => ({
    key: externalKey(record),
    ...without(record, "id", "externalId", "groupIds", "onDuty", "createdAt", "updatedAt"),
  }),
  create: (entry) => ({ operationId: "createShift", body: { ...without(entry, "key"), ...externalIdOf(entry) } }),
  update: (id, changed) => patch("updateShift", id, changed),
  remove: (id) => ({ operationId: "deleteShift", params: { id } }),
};

const assign = (groupId: string, shiftId: string): Operation => ({
  operationId: "assignShift",
  params: { groupId },
  body: { shiftId },
});

const groups: Kind = {
  name: "groups",
  noun: "group",
  path: "/groups",
  refers: { shifts: "shifts" },
  keyOf: keyOrName,
  toEntry: (record, references) => ({
    key: externalKey(record),
    name: record.name,
    description: record.description,
    memberUserIds: [...record.memberUserIds].sort(),
    channels: record.channels,
    escalation: record.escalation,
    shifts: record.shiftIds.map((id: string) => references.key("shifts", id)).sort(),
  }),
  create: (entry) => ({
    operationId: "createGroup",
    body: { ...without(entry, "key", "shifts"), ...externalIdOf(entry) },
  }),
  complete: (id, { shifts: given = [] }, references) =>
    given.map((key: string) => assign(id, references.id("shifts", key))),
  update: (id, { memberUserIds, channels, shifts: given, ...plain }, references, before) => [
    ...patch("updateGroup", id, plain),
    ...(memberUserIds ? [{ operationId: "updateGroupMembers", params: { id }, body: { memberUserIds } }] : []),
    ...(channels ? [{ operationId: "updateGroupChannels", params: { id }, body: { channels } }] : []),
    ...(given ?? [])
      .filter((key: string) => !before.shifts.includes(key))
      .map((key: string) => assign(id, references.id("shifts", key))),
    ...(given ? before.shifts : [])
      .filter((key: string) => !given.includes(key))
      .map((key: string) => ({ operationId: "unassignShift", params: { id, shiftId: references.id("shifts", key) } })),
  ],
  remove: (id) => ({ operationId: "deleteGroup", params: { id } }),
};

/** Returns the fields of a device's body, with ids in place of keys. */
function deviceBody({ deviceType, ...entry }: Entry, references: References): Entry {
  const typed =
    deviceType === undefined
      ? entry
      : { ...entry, deviceTypeId: deviceType && references.id("deviceTypes", deviceType) };
  const grouped = ids(typed, "groups", "groupIds", "groups", references);
  return ids(grouped, "thresholds", "thresholdIds", "thresholds", references);
}

const devices: Kind = {
  name: "devices",
  noun: "device",
  path: "/devices",
  refers: { deviceType: "deviceTypes", groups: "groups", thresholds: "thresholds" },
  keyOf: ({ id }) => id,
  toEntry: (record, references) => ({
    id: record.id,
    name: record.name,
    description: record.description,
    deviceType: record.deviceTypeId === null ? null : references.key("deviceTypes", record.deviceTypeId),
    groups: record.groupIds.map((id: string) => references.key("groups", id)).sort(),
    thresholds: record.thresholdIds.map((id: string) => references.key("thresholds", id)).sort(),
    metadata: withoutNull(record.metadata),
  }),
  normal: (entry) => (entry.metadata ? { ...entry, metadata: withoutNull(entry.metadata) } : entry),
  create: ({ id, name, description, deviceType, groups: given }, references) => ({
    operationId: "createDevice",
    body: deviceBody(
      defined({ id, name, description, deviceType: deviceType ?? undefined, groups: given }),
      references,
    ),
  }),
  complete: (id, { thresholds: given, metadata }, references) =>
    patch("updateDevice", id, deviceBody(defined({ thresholds: given, metadata }), references)),
  update(id, changed, references, before) {
    const body = deviceBody(changed, references);
    if (changed.metadata) body.metadata = mergePatch(before.metadata, changed.metadata);
    return patch("updateDevice", id, body);
  },
};

function defined(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([, each]) => each !== undefined));
}

const mqttClients: Kind = {
  name: "mqttClients",
  noun: "MQTT client",
  path: "/mqtt-clients",
  keyOf: ({ clientId }) => clientId,
  toEntry: ({ clientId, username, publish, subscribe }) => ({ clientId, username, publish, subscribe }),
  create: (entry) => ({ operationId: "createMqttClient", body: { ...entry, externalId: entry.clientId } }),
  update: () => undefined,
  remove: (id) => ({ operationId: "deleteMqttClient", params: { id } }),
};

/** Every kind, each after those to which it refers. */
export const KINDS: readonly Kind[] = [thresholds, deviceTypes, shifts, groups, devices, mqttClients];
