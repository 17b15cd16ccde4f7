import { z } from "zod";
import { deviceUseCases } from "../../devices/devices.ts";
import { pageOfAll } from "../../lib/page.ts";
import { PAYLOAD_ENCODINGS, telemetryUseCases } from "../../telemetry/telemetry.ts";
import { inApp } from "../in-app.ts";
import { METRIC_VALUE } from "../named-shapes.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, page, paging, timestamp } from "../shapes.ts";
import * as specified from "../v1/device-types.ts";
import * as telemetry from "../v1/telemetry/telemetry.ts";

const TAG = "Device types";

const outdatedDevice = z
  .strictObject({
    id,
    name: z.string(),
    certificateIds: z.array(id).meta({ description: "Its live certificates with other topics, newest first" }),
  })
  .meta({ id: "OutdatedDevice" });

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
  response: page(specified.deviceType),
  errors: [],
  examples: { response: { items: [specified.DEVICE_TYPE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: async (caller, { query }, listDeviceTypes) => pageOfAll(await listDeviceTypes(caller), query),
});

export const getDeviceType = inApp(specified.getDeviceType);

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

const payloadTrial = z
  .strictObject({
    payloadBytes: z.int(),
    readings: z.array(
      z
        .strictObject({
          at: timestamp.meta({ description: "The device's time, or the present one" }),
          timeReplaced: z.boolean().meta({ description: "The device's time is implausible" }),
          values: z.array(z.strictObject({ metric: z.string(), value: METRIC_VALUE }).meta({ id: "TriedValue" })),
        })
        .meta({ id: "TriedReading" }),
    ),
    rejected: z
      .strictObject({ reason: z.string(), problems: z.array(telemetry.fieldProblem), problemCount: z.int() })
      .meta({ id: "TriedRejection" })
      .nullable()
      .meta({ description: "Why not everything would be stored; `null` if everything would" }),
  })
  .meta({ id: "PayloadTrial" });

export const tryPayload = adminRoute({
  useCase: telemetryUseCases.tryPayload,
  operationId: "tryPayload",
  method: "POST",
  path: "/api/admin/device-types/{id}/try-payload",
  tag: TAG,
  summary: "Try a payload",
  description:
    "Returns what would be stored of a payload of a device of the type, and why not everything. It stores nothing.",
  params: idParams,
  body: z
    .strictObject({ payload: z.string(), encoding: z.enum(PAYLOAD_ENCODINGS) })
    .meta({ id: "PayloadTrialRequest" }),
  status: 200,
  response: payloadTrial,
  errors: ["not_found"],
  examples: {
    body: { payload: '{"temperature": 21.5, "humidity": null}', encoding: "text" },
    response: {
      payloadBytes: 39,
      readings: [
        { at: "2026-11-21T12:00:00.000Z", timeReplaced: false, values: [{ metric: "temperature", value: 21.5 }] },
      ],
      rejected: {
        reason: '"humidity" is null; a value is a number, true, false or a string',
        problems: [{ path: "/humidity", reason: '"humidity" is null; a value is a number, true, false or a string' }],
        problemCount: 1,
      },
    },
  },
  handler: (caller, { params, body }, tryPayload) => tryPayload(caller, params.id, body),
});

export const createDeviceType = inApp(specified.createDeviceType);
export const updateDeviceType = inApp(specified.updateDeviceType);
export const deleteDeviceType = inApp(specified.deleteDeviceType);
