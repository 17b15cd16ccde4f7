import { z } from "zod";
import { deviceUseCases, PAYLOAD_FORMATS } from "../../devices/devices.ts";
import { records } from "../../lib/limits/records.ts";
import { pageOfAll } from "../../lib/page.ts";
import { publicRoute } from "../route.ts";
import { externalId, id, idParams, label, page, plainName, strictPaging, timestamp } from "../shapes.ts";

const TAG = "Device types";
const PATH = "/api/v1/device-types";

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

const payloadFormat = z.enum(PAYLOAD_FORMATS).meta({
  id: "PayloadFormat",
  description: "How payloads are decoded. `auto`: JSON in the forms of the telemetry guide; the others exactly that",
});

const metricSetting = z
  .strictObject({
    metric: plainName.meta({ description: "The name of the metric as it is stored" }),
    label: label().optional().meta({ description: "The name that people see" }),
    unit: label(records.unitCharacters.value).optional().meta({ description: "The unit that people see: `°C`" }),
    pointer: z.string().max(records.pointerCharacters.value).optional().meta({
      description:
        "The place of the value in a JSON document (RFC 6901). If a metric has one, only metrics with a place are stored. Format `auto` only",
    }),
    factor: z.number().optional().meta({ description: "Numbers are multiplied by it, other than 0, before storage" }),
  })
  .meta({ id: "MetricSettingChange" });

const metrics = z.array(metricSetting).max(records.metricsOfDeviceType.value).meta({
  description: "What the type says about metrics, in the order in which the app shows them",
});

const metricRecord = z
  .strictObject({
    metric: z.string(),
    label: z.string().optional(),
    unit: z.string().optional(),
    pointer: z.string().optional(),
    factor: z.number().optional(),
  })
  .meta({ id: "MetricSetting" });

export const deviceType = z
  .strictObject({
    id,
    name: z.string(),
    publishTopics: z.array(z.string()),
    subscribeTopics: z.array(z.string()),
    thresholdIds: z.array(id).meta({ description: "Threshold packs that monitor every device of the type" }),
    silentForSeconds: z.int().nullable(),
    externalId,
    payloadFormat,
    metrics: z.array(metricRecord),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "DeviceType" });

export const deviceTypeDetail = deviceType
  .extend({
    devices: z.int().meta({ description: "The number of its devices that the caller can see" }),
    openClaims: z.int().meta({ description: "The number of redeemable claims that name it" }),
  })
  .meta({ id: "DeviceTypeDetail" });

export const DEVICE_TYPE_EXAMPLE = {
  id: "0199c1c3-1111-7a11-9c22-5e6f7a8b9c0d",
  name: "Pump",
  publishTopics: ["telemetry/{deviceId}"],
  subscribeTopics: [],
  thresholdIds: [],
  silentForSeconds: 900,
  externalId: null,
  payloadFormat: "auto",
  metrics: [{ metric: "temperature", label: "Temperature", unit: "°C", pointer: "/data/temp", factor: 0.1 }],
  createdAt: "2026-11-20T09:00:00.000Z",
  updatedAt: "2026-11-20T09:00:00.000Z",
};

const fields = {
  name: label(),
  publishTopics: topics,
  subscribeTopics: topics,
  thresholdIds,
  silentForSeconds,
  externalId,
  payloadFormat,
  metrics,
};

export const deviceTypeCreate = z.strictObject({
  ...fields,
  subscribeTopics: topics.optional(),
  thresholdIds: thresholdIds.optional(),
  silentForSeconds: silentForSeconds.optional(),
  externalId: externalId.optional(),
  payloadFormat: payloadFormat.optional(),
  metrics: metrics.optional(),
});

export const deviceTypeUpdate = z.strictObject(fields).partial();

export const listDeviceTypes = publicRoute({
  useCase: deviceUseCases.listDeviceTypes,
  operationId: "listDeviceTypes",
  method: "GET",
  path: PATH,
  tag: TAG,
  summary: "List device types",
  description: "The tenant's device types, newest first.",
  query: z.strictObject(strictPaging(50, 200)),
  status: 200,
  response: page(deviceType),
  errors: [],
  examples: { response: { items: [DEVICE_TYPE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: async (caller, { query }, listDeviceTypes) => pageOfAll(await listDeviceTypes(caller), query),
});

export const getDeviceType = publicRoute({
  useCase: deviceUseCases.getDeviceType,
  operationId: "getDeviceType",
  method: "GET",
  path: `${PATH}/{id}`,
  tag: TAG,
  summary: "Get a device type",
  description: "One device type, with the numbers of records that refer to it.",
  params: idParams,
  status: 200,
  response: deviceTypeDetail,
  errors: ["not_found"],
  volatile: ["devices", "openClaims"],
  examples: { response: { ...DEVICE_TYPE_EXAMPLE, devices: 12, openClaims: 0 } },
  handler: (caller, { params }, getDeviceType) => getDeviceType(caller, params.id),
});

export const createDeviceType = publicRoute({
  useCase: deviceUseCases.createDeviceType,
  operationId: "createDeviceType",
  method: "POST",
  path: PATH,
  tag: TAG,
  summary: "Create a device type",
  description: "Certificates of its devices may publish on these topics only.",
  body: deviceTypeCreate.meta({ id: "DeviceTypeCreate" }),
  status: 201,
  response: deviceType,
  errors: ["quota_exceeded", "already_exists"],
  examples: {
    body: { name: "Pump", publishTopics: ["telemetry/{deviceId}"], silentForSeconds: 900 },
    response: DEVICE_TYPE_EXAMPLE,
  },
  handler: (caller, { body }, createDeviceType) => createDeviceType(caller, body),
});

export const updateDeviceType = publicRoute({
  useCase: deviceUseCases.updateDeviceType,
  operationId: "updateDeviceType",
  method: "PATCH",
  path: `${PATH}/{id}`,
  tag: TAG,
  summary: "Change a device type",
  description: "Absent fields stay unchanged. Certificates keep their topics until the device gets its next one.",
  params: idParams,
  body: deviceTypeUpdate.meta({ id: "DeviceTypeUpdate" }),
  status: 200,
  response: deviceType,
  errors: ["not_found", "already_exists"],
  volatile: ["devices", "openClaims"],
  examples: { body: { publishTopics: ["telemetry/{deviceId}"] }, response: DEVICE_TYPE_EXAMPLE },
  handler: (caller, { params, body, matches }, updateDeviceType) =>
    updateDeviceType(caller, params.id, body, { matches }),
});

export const deleteDeviceType = publicRoute({
  useCase: deviceUseCases.deleteDeviceType,
  operationId: "deleteDeviceType",
  method: "DELETE",
  path: `${PATH}/{id}`,
  tag: TAG,
  summary: "Delete a device type",
  description: "Deletes a device type that no device has and no open claim names.",
  params: idParams,
  status: 204,
  errors: ["not_found", "in_use"],
  examples: {},
  handler: (caller, { params }, deleteDeviceType) => deleteDeviceType(caller, params.id),
});
