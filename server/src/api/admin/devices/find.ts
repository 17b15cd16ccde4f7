import { z } from "zod";
import { deviceUseCases } from "../../../devices/devices.ts";
import { records } from "../../../lib/limits/records.ts";
import { adminRoute } from "../../route.ts";

const TAG = "Devices";
/** The number of devices that a picker shows. */
const SUGGESTED = 20;

const suggestion = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    hardwareFingerprint: z.string().nullable(),
    place: z.string().nullable().meta({ description: "In its metadata: `place`, `location` or `site`" }),
    groupIds: z.array(z.string()),
  })
  .meta({ id: "DeviceSuggestion" });

export const suggestDevices = adminRoute({
  useCase: deviceUseCases.suggestDevices,
  operationId: "suggestDevices",
  method: "GET",
  path: "/api/admin/device-suggestions",
  tag: TAG,
  summary: "Suggest devices",
  description:
    "At most 20 devices that the user can see whose id, name or hardware fingerprint contains the text, for pickers. The one with exactly this id or fingerprint comes first; the newest 20,000 devices are searched.",
  query: z.strictObject({ q: z.string().max(records.searchCharacters.value).default("") }),
  status: 200,
  response: z.strictObject({ items: z.array(suggestion) }).meta({ id: "DeviceSuggestions" }),
  errors: [],
  examples: {
    response: {
      items: [{ id: "pump-1", name: "Feed pump 1", hardwareFingerprint: "SN-4711", place: "Hall 3", groupIds: [] }],
    },
  },
  handler: async (caller, { query }, suggestDevices) => ({ items: await suggestDevices(caller, query.q, SUGGESTED) }),
});

const field = z
  .strictObject({
    name: z.string(),
    devices: z.int().min(0).meta({ description: "The number of devices that have it" }),
    values: z.array(z.string()).meta({ description: "Its most frequent values as text, at most 20" }),
  })
  .meta({ id: "MetadataField" });

export const listMetadataFields = adminRoute({
  useCase: deviceUseCases.listMetadataFields,
  operationId: "listMetadataFields",
  method: "GET",
  path: "/api/admin/metadata-fields",
  tag: TAG,
  summary: "List the fields of devices' metadata",
  description:
    "The fields in the metadata of the newest 5,000 devices that the user can see, most frequent first, at most 100: for columns and filters of the list of devices.",
  status: 200,
  response: z.strictObject({ items: z.array(field) }).meta({ id: "MetadataFields" }),
  errors: [],
  examples: { response: { items: [{ name: "site", devices: 20, values: ["Hall 3", "Hall 4"] }] } },
  handler: async (caller, _request, listMetadataFields) => ({ items: await listMetadataFields(caller) }),
});
