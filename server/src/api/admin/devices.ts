import { z } from "zod";
import { connectionUseCases } from "../../connections/connections.ts";
import { DEVICE_ORDERS, deviceUseCases } from "../../devices/devices.ts";
import { records } from "../../lib/limits/records.ts";
import { inApp } from "../in-app.ts";
import { CERTIFICATE_STATE, CONNECTIVITY } from "../named-shapes.ts";
import { adminRoute } from "../route.ts";
import { idParams, instant, longPage, paging, sortBy } from "../shapes.ts";
import * as specified from "../v1/devices.ts";
import { oneOf, oneOfIds, withoutNull } from "./shapes/list-shapes.ts";
import { metadataFields } from "./shapes/metadata-fields.ts";

const TAG = "Devices";

const deviceQuery = z.strictObject({
  q: z
    .string()
    .max(records.searchCharacters.value)
    .optional()
    .meta({ description: "Part of the id or the name, ignoring case" }),
  groupId: oneOfIds("In one of these groups, or `none`: in no group"),
  notGroupId: oneOfIds("In none of these groups"),
  deviceTypeId: oneOfIds("One of these types, or `none`: without a type"),
  notDeviceTypeId: oneOfIds("None of these types"),
  thresholdId: oneOfIds("Threshold packs, one of which monitors the device, assigned to it or to its type"),
  notThresholdId: oneOfIds("Threshold packs, none of which monitors the device"),
  metadata: metadataFields("Fields of the metadata that the device has"),
  notMetadata: metadataFields("Fields of the metadata that the device does not have"),
  connectivity: oneOf(CONNECTIVITY, "One of these states, separated by commas"),
  notConnectivity: oneOf(CONNECTIVITY, "None of these states, separated by commas"),
  certificateState: oneOf(CERTIFICATE_STATE, "One of these states, separated by commas"),
  notCertificateState: oneOf(CERTIFICATE_STATE, "None of these states, separated by commas"),
  createdFrom: instant.optional().meta({ description: "Created at this time or later" }),
  createdBefore: instant.optional().meta({ description: "Created before this time" }),
  seenFrom: instant.optional().meta({ description: "Seen at this time or later" }),
  seenBefore: instant.optional().meta({ description: "Last seen before this time" }),
  sort: sortBy(DEVICE_ORDERS),
  ...paging(50, 200),
});

export const listDevices = adminRoute({
  useCase: deviceUseCases.listDevices,
  operationId: "listDevices",
  csv: "devices",
  method: "GET",
  path: "/api/admin/devices",
  tag: TAG,
  summary: "List devices",
  description: "The devices that the user can see, newest first unless sorted.",
  query: deviceQuery,
  status: 200,
  response: longPage(specified.deviceRecord),
  errors: [],
  examples: { response: { items: [specified.DEVICE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listDevices) => {
    const { notGroupId, notDeviceTypeId, notThresholdId, notConnectivity, notCertificateState, ...others } = query;
    const { notMetadata, ...wanted } = others;
    const not = {
      groupId: notGroupId,
      deviceTypeId: notDeviceTypeId,
      thresholdId: withoutNull(notThresholdId),
      connectivity: notConnectivity,
      certificateState: notCertificateState,
      metadata: notMetadata,
    };
    const thresholdId = withoutNull(wanted.thresholdId);
    return listDevices(caller, { ...wanted, thresholdId, not, countAhead: records.countedAhead.value });
  },
});

export const getDevice = inApp(specified.getDevice, {
  description: "One device that the user can see.",
});

export const createDevice = inApp(specified.createDevice, {
  description: "Adds a device that does not enroll itself; issue a bundle for it.",
});

export const replaceDevice = inApp(specified.replaceDevice, {
  description:
    "Replaces name, description, type, groups, threshold packs and metadata: omitted fields become empty. Operators cannot change groups and type.",
});

export const deleteDevice = inApp(specified.deleteDevice, {
  description: "Revokes its certificates, closes its sessions and deletes its telemetry. Its audit entries stay.",
});

export const disconnectDevice = adminRoute({
  useCase: connectionUseCases.disconnectDevice,
  operationId: "disconnectDevice",
  method: "POST",
  path: "/api/admin/devices/{id}/disconnect",
  tag: TAG,
  summary: "Close a device's sessions",
  description: "Closes its sessions in every process. Its certificates stay valid, so it may reconnect immediately.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, disconnectDevice) => disconnectDevice(caller, params.id),
});
