import { z } from "zod";
import { deviceUseCases } from "../../devices/devices.ts";
import { records } from "../../lib/limits/records.ts";
import { pageOfAll } from "../../lib/page.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, label, page, paging, timestamp } from "../shapes.ts";

const TAG = "Device types";

const topics = z
  .array(z.string().min(1).max(256))
  .max(records.topicsOfDeviceType.value)
  .meta({ description: "Relative to the tenant's prefix, with `{deviceId}` as one segment: `telemetry/{deviceId}`" });
const thresholdIds = z.array(id).max(records.thresholdsOfDevice.value);
const silentForSeconds = z
  .int()
  .min(1)
  .max(2_592_000)
  .nullable()
  .meta({ description: "A device that is silent for longer opens an anomaly; `null`: never" });

const deviceType = z
  .strictObject({
    id,
    name: z.string(),
    publishTopics: z.array(z.string()),
    subscribeTopics: z.array(z.string()),
    thresholdIds: z.array(id).meta({ description: "Threshold packs that monitor every device of the type" }),
    silentForSeconds: z.int().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "DeviceType" });

const deviceTypeDetail = deviceType
  .extend({
    devices: z.int().meta({ description: "The number of its devices that the caller can see" }),
    openClaims: z.int().meta({ description: "The number of redeemable claims that name it" }),
  })
  .meta({ id: "DeviceTypeDetail" });

const outdatedDevice = z
  .strictObject({
    id,
    name: z.string(),
    certificateIds: z.array(id).meta({ description: "Its live certificates with other topics, newest first" }),
  })
  .meta({ id: "OutdatedDevice" });

const EXAMPLE = {
  id: "0199c1c3-1111-7a11-9c22-5e6f7a8b9c0d",
  name: "Pump",
  publishTopics: ["telemetry/{deviceId}"],
  subscribeTopics: [],
  thresholdIds: [],
  silentForSeconds: 900,
  createdAt: "2026-11-20T09:00:00.000Z",
  updatedAt: "2026-11-20T09:00:00.000Z",
};

const fields = { name: label(), publishTopics: topics, subscribeTopics: topics, thresholdIds, silentForSeconds };

export const listDeviceTypes = adminRoute({
  useCase: deviceUseCases.listDeviceTypes,
  operationId: "listDeviceTypes",
  csv: "device-types",
  method: "GET",
  path: "/api/admin/device-types",
  tag: TAG,
  summary: "List device types",
  description: "The tenant's device types, newest first.",
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: page(deviceType),
  errors: [],
  examples: { response: { items: [EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: async (caller, { query }, listDeviceTypes) => pageOfAll(await listDeviceTypes(caller), query),
});

export const getDeviceType = adminRoute({
  useCase: deviceUseCases.getDeviceType,
  operationId: "getDeviceType",
  method: "GET",
  path: "/api/admin/device-types/{id}",
  tag: TAG,
  summary: "Show a device type",
  description: "One device type, with the numbers of records that refer to it.",
  params: idParams,
  status: 200,
  response: deviceTypeDetail,
  errors: ["not_found"],
  volatile: ["devices", "openClaims"],
  examples: { response: { ...EXAMPLE, devices: 12, openClaims: 0 } },
  handler: (caller, { params }, getDeviceType) => getDeviceType(caller, params.id),
});

export const listOutdatedDevices = adminRoute({
  useCase: deviceUseCases.listOutdatedDevices,
  operationId: "listOutdatedDevices",
  method: "GET",
  path: "/api/admin/device-types/{id}/outdated-devices",
  tag: TAG,
  summary: "List devices with outdated topics",
  description:
    "Devices of the type with live certificates whose topics differ from the type's present ones. The topics of a certificate never change; a renewal or a new bundle gets the present ones. This reads every device of the type.",
  params: idParams,
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: page(outdatedDevice),
  errors: ["not_found"],
  examples: {
    response: {
      items: [{ id: "pump-1", name: "Pump 1", certificateIds: ["0199c1c6-2222-7a11-9c22-5e6f7a8b9c0d"] }],
      total: 1,
      skip: 0,
      limit: 50,
    },
  },
  handler: (caller, { params, query }, listOutdatedDevices) => listOutdatedDevices(caller, params.id, query),
});

export const createDeviceType = adminRoute({
  useCase: deviceUseCases.createDeviceType,
  operationId: "createDeviceType",
  method: "POST",
  path: "/api/admin/device-types",
  tag: TAG,
  summary: "Create a device type",
  description: "Certificates of its devices may publish on these topics only.",
  body: z
    .strictObject({
      ...fields,
      subscribeTopics: topics.optional(),
      thresholdIds: thresholdIds.optional(),
      silentForSeconds: silentForSeconds.optional(),
    })
    .meta({ id: "DeviceTypeCreate" }),
  status: 201,
  response: deviceType,
  errors: ["quota_exceeded"],
  examples: {
    body: { name: "Pump", publishTopics: ["telemetry/{deviceId}"], silentForSeconds: 900 },
    response: EXAMPLE,
  },
  handler: (caller, { body }, createDeviceType) => createDeviceType(caller, body),
});

export const updateDeviceType = adminRoute({
  useCase: deviceUseCases.updateDeviceType,
  operationId: "updateDeviceType",
  method: "PATCH",
  path: "/api/admin/device-types/{id}",
  tag: TAG,
  summary: "Change a device type",
  description: "Absent fields stay unchanged. Certificates keep their topics until the device gets its next one.",
  params: idParams,
  body: z.strictObject(fields).partial().meta({ id: "DeviceTypeEdit" }),
  status: 200,
  response: deviceType,
  errors: ["not_found"],
  volatile: ["devices", "openClaims"],
  examples: {
    body: { publishTopics: ["telemetry/{deviceId}"] },
    response: EXAMPLE,
  },
  handler: (caller, { params, body, matches }, updateDeviceType) =>
    updateDeviceType(caller, params.id, body, { matches }),
});

export const deleteDeviceType = adminRoute({
  useCase: deviceUseCases.deleteDeviceType,
  operationId: "deleteDeviceType",
  method: "DELETE",
  path: "/api/admin/device-types/{id}",
  tag: TAG,
  summary: "Delete a device type",
  description: "Deletes a device type that no device has and no open claim names.",
  params: idParams,
  status: 204,
  errors: ["not_found", "in_use"],
  examples: {},
  handler: (caller, { params }, deleteDeviceType) => deleteDeviceType(caller, params.id),
});
