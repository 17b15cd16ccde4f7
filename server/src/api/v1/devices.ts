import { z } from "zod";
import { DEVICE_ORDERS, deviceUseCases } from "../../devices/devices.ts";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { records } from "../../lib/limits/records.ts";
import { CERTIFICATE_STATE, CONNECTIVITY } from "../named-shapes.ts";
import { Refusal } from "../problem.ts";
import { publicRoute } from "../route.ts";
import { id, idParams, instant, label, nullableTimestamp, page, paging, sortBy, timestamp } from "../shapes.ts";

export const deviceRecord = z
  .strictObject({
    id: id.meta({ description: "Also the MQTT client id; never changes" }),
    name: z.string(),
    description: z.string(),
    deviceTypeId: id.nullable(),
    groupIds: z.array(id),
    thresholdIds: z.array(id),
    metadata: z.record(z.string(), z.unknown()),
    hardwareFingerprint: z.string().nullable(),
    hardwareModel: z.string().nullable(),
    agentVersion: z.string().nullable(),
    agentCapabilities: z.array(z.string()),
    macAddress: z.string().nullable(),
    connectivity: z
      .strictObject({ status: CONNECTIVITY, since: nullableTimestamp, reason: z.string().nullable() })
      .meta({ id: "DeviceConnectivity" }),
    lastSeenAt: nullableTimestamp,
    certificateState: CERTIFICATE_STATE,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Device" });

export const DEVICE_EXAMPLE = {
  id: "pump-1",
  name: "Feed pump 1",
  description: "",
  deviceTypeId: "0199c1c3-1111-7a11-9c22-5e6f7a8b9c0d",
  groupIds: ["0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d"],
  thresholdIds: [],
  metadata: {},
  hardwareFingerprint: "SN-40012",
  hardwareModel: "PG-200",
  agentVersion: "2.4.1",
  agentCapabilities: [],
  macAddress: null,
  connectivity: { status: "online", since: "2026-11-20T10:05:00.000Z", reason: null },
  lastSeenAt: "2026-11-20T10:15:00.000Z",
  certificateState: "active",
  createdAt: "2026-11-20T10:00:00.000Z",
  updatedAt: "2026-11-20T10:00:00.000Z",
};

/** Fields that change without a write: a conditional write ignores them. */
export const DEVICE_VOLATILE = ["connectivity", "lastSeenAt", "certificateState"] as const;

export const listDevices = publicRoute({
  useCase: deviceUseCases.listDevices,
  operationId: "listDevices",
  method: "GET",
  path: "/api/v1/devices",
  tag: "Devices",
  summary: "List devices",
  description: "The tenant's devices, newest first.",
  query: z.strictObject({
    groupId: id.optional(),
    deviceTypeId: id.optional(),
    connectivity: CONNECTIVITY.optional(),
    certificateState: CERTIFICATE_STATE.optional(),
    metadataKey: z.string().min(1).max(256).optional().meta({ description: "Devices whose metadata has this field" }),
    metadataValue: z
      .string()
      .max(1024)
      .optional()
      .meta({ description: "With `metadataKey`: the field's value, as text or as JSON" }),
    changedSince: instant
      .optional()
      .meta({ description: "Devices whose editable fields changed at or after this time" }),
    sort: sortBy(DEVICE_ORDERS, "DeviceOrder"),
    q: z
      .string()
      .max(records.searchCharacters.value)
      .optional()
      .meta({ description: "Part of the id or the name, ignoring case" }),
    ...paging(50, 200),
  }),
  status: 200,
  response: page(deviceRecord),
  errors: [],
  examples: { response: { items: [DEVICE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query: { metadataKey: key, metadataValue: value, ...query } }, listDevices) => {
    if (key === undefined && value !== undefined)
      throw new Refusal("invalid_request", "metadataValue goes with metadataKey", { detail: "metadataKey" });
    if (key === undefined) return listDevices(caller, query);
    return listDevices(caller, { ...query, metadata: [{ field: key, values: value === undefined ? [] : [value] }] });
  },
});

export const getDevice = publicRoute({
  useCase: deviceUseCases.getDevice,
  operationId: "getDevice",
  method: "GET",
  path: "/api/v1/devices/{id}",
  tag: "Devices",
  summary: "Get a device",
  description: "One device of the tenant.",
  params: idParams,
  status: 200,
  response: deviceRecord,
  errors: ["not_found"],
  volatile: DEVICE_VOLATILE,
  examples: { response: DEVICE_EXAMPLE },
  handler: (caller, { params }, getDevice) => getDevice(caller, params.id),
});

const ids = z.array(z.string().max(128)).max(records.groupsOfDevice.value).optional();

export const deviceReplacement = z
  .strictObject({
    name: label(),
    description: z.string().max(records.descriptionCharacters.value).optional(),
    deviceTypeId: z.string().max(128).nullable().optional().meta({ description: "Null or absent: no type" }),
    groupIds: ids.meta({ description: "Groups from `GET /groups`; without any, only admins can see the device" }),
    thresholdIds: ids.meta({ description: "Threshold packs from `GET /thresholds` that monitor the device" }),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Any JSON object: at most 16 KiB, 100 fields, nested at most 8 deep" }),
  })
  .meta({ id: "DeviceReplacement" });

export const replaceDevice = publicRoute({
  useCase: deviceUseCases.replaceDevice,
  operationId: "replaceDevice",
  method: "PUT",
  path: "/api/v1/devices/{id}",
  tag: "Devices",
  summary: "Replace a device's editable fields",
  description:
    "Replaces name, description, type, groups, threshold packs and metadata: omitted fields become empty. The other fields of the record are read-only. To change one field, read the device, send these fields back, and name its `ETag` in `If-Match`. A new type determines the topics of certificates issued from then on; those of live certificates do not change.",
  params: idParams,
  body: deviceReplacement,
  status: 200,
  response: deviceRecord,
  errors: ["not_found", "precondition_failed"],
  volatile: DEVICE_VOLATILE,
  examples: {
    body: {
      name: "Feed pump 1",
      description: "Hall 3, left of the door",
      deviceTypeId: DEVICE_EXAMPLE.deviceTypeId,
      groupIds: DEVICE_EXAMPLE.groupIds,
      thresholdIds: ["0199c1c6-2222-7a11-9c22-5e6f7a8b9c0d"],
      metadata: { assetNumber: "P-1042", installed: "2024-03-01" },
    },
    response: {
      ...DEVICE_EXAMPLE,
      description: "Hall 3, left of the door",
      thresholdIds: ["0199c1c6-2222-7a11-9c22-5e6f7a8b9c0d"],
      metadata: { assetNumber: "P-1042", installed: "2024-03-01" },
      updatedAt: "2026-11-20T10:30:00.000Z",
    },
  },
  handler: (caller, { params, body, matches }, replaceDevice) => replaceDevice(caller, params.id, body, { matches }),
});

export const updateDevice = publicRoute({
  useCase: deviceUseCases.patchDevice,
  operationId: "updateDevice",
  method: "PATCH",
  path: "/api/v1/devices/{id}",
  tag: "Devices",
  summary: "Change a device",
  description:
    "A JSON merge patch (RFC 7396): absent fields stay, `null` empties, lists are replaced, and `metadata` is merged at every level. A new type determines the topics of certificates issued from then on.",
  params: idParams,
  body: z
    .strictObject({
      name: label(),
      description: z.string().max(records.descriptionCharacters.value).nullable(),
      deviceTypeId: z.string().max(128).nullable(),
      groupIds: ids.nullable(),
      thresholdIds: ids.nullable(),
      metadata: z.record(z.string(), z.unknown()).nullable(),
    })
    .partial()
    .meta({ id: "DeviceUpdate" }),
  status: 200,
  response: deviceRecord,
  errors: ["not_found"],
  volatile: DEVICE_VOLATILE,
  examples: {
    body: { name: "Feed pump 1", metadata: { assetNumber: "P-1042" } },
    response: { ...DEVICE_EXAMPLE, metadata: { assetNumber: "P-1042" }, updatedAt: "2026-11-20T10:30:00.000Z" },
  },
  handler: (caller, { params, body, matches }, patchDevice) => patchDevice(caller, params.id, body, { matches }),
});

export const newDevice = z
  .strictObject({
    id: z.string().max(128).optional().meta({ description: "1 to 64 of A-Z a-z 0-9 _ -; random by default" }),
    name: label(),
    description: z.string().max(records.descriptionCharacters.value).optional(),
    deviceTypeId: z.string().max(128).optional(),
    groupIds: z.array(z.string().max(128)).max(records.groupsOfDevice.value).optional(),
  })
  .meta({ id: "DeviceCreate" });

export const createDevice = publicRoute({
  useCase: deviceUseCases.createDevice,
  operationId: "createDevice",
  method: "POST",
  path: "/api/v1/devices",
  tag: "Devices",
  summary: "Add a device",
  description:
    "Adds a device that does not enroll itself: `POST /api/v1/device-certificates` issues a bundle for it. A device that enrolls with a claim is added by its enrollment.",
  body: newDevice,
  status: 201,
  response: deviceRecord,
  errors: ["already_exists", "quota_exceeded"],
  examples: {
    body: { name: "Feed pump 1", deviceTypeId: DEVICE_EXAMPLE.deviceTypeId },
    response: {
      ...DEVICE_EXAMPLE,
      groupIds: [],
      hardwareFingerprint: null,
      hardwareModel: null,
      agentVersion: null,
      connectivity: { status: "never_seen", since: null, reason: null },
      lastSeenAt: null,
      certificateState: "none",
    },
  },
  handler: (caller, { body }, createDevice) => createDevice(caller, body),
});

export const deleteDevice = publicRoute({
  useCase: enrollmentUseCases.deleteDevice,
  operationId: "deleteDevice",
  method: "DELETE",
  path: "/api/v1/devices/{id}",
  tag: "Devices",
  summary: "Delete a device",
  description:
    "Revokes its certificates, closes its sessions and deletes its telemetry. Its id and its hardware may be reused; its audit entries stay.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteDevice) => deleteDevice(caller, params.id),
});
