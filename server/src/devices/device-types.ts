import { adminUseCase, type Caller, type PreparedChange, useCase } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { isUuid } from "../lib/ids.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest, notFound, preconditionFailed } from "../lib/request-errors.ts";
import { checkExternalId, plainLine } from "../lib/text.ts";
import type { DevicesDeps } from "./deps.ts";
import {
  assignPacksToType,
  type DeviceTypeRow,
  findTenantOfType,
  findTypeThresholds,
  insertDeviceType,
  listDeviceTypeRows,
  lockDeviceTypeRow,
  updateDeviceTypeRow,
} from "./device-type-store.ts";
import { checkPayloadSettings, type MetricSetting, type PayloadFormat } from "./payload-settings.ts";
import type { Precondition } from "./replace-device.ts";
import { checkTemplates } from "./topics.ts";

export interface DeviceTypeRecord {
  id: string;
  name: string;
  /** The templates relative to the tenant's prefix, e.g. `telemetry/{deviceId}`. */
  publishTopics: string[];
  subscribeTopics: string[];
  /** The threshold packs assigned to every device of the type. */
  thresholdIds: string[];
  /** The silence after which a device of the type opens an anomaly; `null` for never. */
  silentForSeconds: number | null;
  /** The id of the type in the program that manages it. */
  externalId: string | null;
  payloadFormat: PayloadFormat;
  /** The settings of metrics of its devices, in the order in which the app shows them. */
  metrics: readonly MetricSetting[];
  createdAt: Date;
  updatedAt: Date;
}

export interface NewDeviceType {
  name: string;
  publishTopics: readonly string[];
  subscribeTopics?: readonly string[] | undefined;
  thresholdIds?: readonly string[] | undefined;
  silentForSeconds?: number | null | undefined;
  /** Unique among the types of the tenant. */
  externalId?: string | null | undefined;
  payloadFormat?: PayloadFormat | undefined;
  metrics?: readonly MetricSetting[] | undefined;
}

const MAX_PACKS = records.thresholdsOfDevice.value;
const MAX_SILENT_SECONDS = 30 * 86_400;

/** The changed fields; absent fields stay as they are. */
export type DeviceTypeEdit = { [Field in keyof NewDeviceType]?: NewDeviceType[Field] | undefined };

/**
 * Creates a device type.
 *
 * @throws MusterError invalid_request, with a bad template or an unknown pack in `detail`; quota_exceeded;
 *   already_exists (the external id)
 */
export const createDeviceType = adminUseCase(
  { scope: "device-types:write", role: "admin" },
  "device-type.create",
  async (deps: DevicesDeps, caller, input: NewDeviceType): Promise<PreparedChange<DeviceTypeRecord>> => {
    const now = deps.clock.now();
    const { payloadFormat = "auto", metrics = [] } = input;
    checkPayloadSettings({ payloadFormat, metrics });
    const row: DeviceTypeRow = {
      id: deps.ids.uuid(now),
      name: plainLine("name", input.name),
      publish_topics: checkTemplates(input.publishTopics),
      subscribe_topics: checkTemplates(input.subscribeTopics ?? []),
      silent_for_seconds: checkSilence(input.silentForSeconds ?? null),
      external_id: checkExternalId(input.externalId ?? null),
      payload_format: payloadFormat,
      metrics,
      created_at: now,
      updated_at: now,
    };
    return {
      change: async (tx) => {
        await deps.quotas.within(tx, caller.tenantId, "deviceTypes", 1);
        await insertDeviceType(tx, caller.tenantId, row);
        const result = await withThresholds(tx, caller, row, input.thresholdIds ?? []);
        return { target: row.id, after: result, result };
      },
    };
  },
);

/**
 * Changes the given fields. Topics are stored with each certificate, so a device gets them with its next one (spec 7).
 *
 * @throws MusterError not_found, invalid_request, precondition_failed, already_exists
 */
export const updateDeviceType = adminUseCase(
  { scope: "device-types:write", role: "admin" },
  "device-type.update",
  async (
    deps: DevicesDeps,
    caller,
    id: string,
    input: DeviceTypeEdit,
    { matches }: Precondition = {},
  ): Promise<PreparedChange<DeviceTypeRecord>> => {
    const change = {
      name: input.name === undefined ? undefined : plainLine("name", input.name),
      publishTopics: input.publishTopics && checkTemplates(input.publishTopics),
      subscribeTopics: input.subscribeTopics && checkTemplates(input.subscribeTopics),
      silentForSeconds: input.silentForSeconds === undefined ? undefined : checkSilence(input.silentForSeconds),
      externalId: input.externalId === undefined ? undefined : checkExternalId(input.externalId),
      payloadFormat: input.payloadFormat,
      metrics: input.metrics,
    };
    if (!isUuid(id)) throw notFound("device type");
    return {
      change: async (tx) => {
        const old = await lockDeviceTypeRow(tx, caller.tenantId, id);
        if (!old) throw notFound("device type");
        const before = await withThresholds(tx, caller, old, undefined);
        if (matches && !matches(before)) throw preconditionFailed();
        const { payloadFormat = old.payload_format, metrics = old.metrics } = input;
        checkPayloadSettings({ payloadFormat, metrics });
        const row = await updateDeviceTypeRow(tx, caller.tenantId, id, change, deps.clock.now());
        const result = await withThresholds(tx, caller, row, input.thresholdIds);
        return { target: id, before, after: result, result };
      },
    };
  },
);

/** Lists the tenant's device types, newest first. A quota bounds their number. */
export const listDeviceTypes = useCase(
  { scope: "device-types:read", role: "viewer" },
  async (deps: DevicesDeps, { tenantId }): Promise<DeviceTypeRecord[]> => {
    const rows = await listDeviceTypeRows(deps.database.db, tenantId);
    return rows.map((row) => toDeviceTypeRecord(row, row.threshold_ids));
  },
);

/** Assigns exactly these threshold packs to the type (`undefined` changes nothing), and returns the type. */
async function withThresholds(
  tx: Tx,
  { tenantId }: Caller,
  row: DeviceTypeRow,
  thresholdIds: readonly string[] | undefined,
): Promise<DeviceTypeRecord> {
  if (thresholdIds) {
    if (thresholdIds.length > MAX_PACKS) throw invalidRequest(`at most ${MAX_PACKS} threshold packs`, "thresholdIds");
    const taken = await assignPacksToType(tx, tenantId, row.id, thresholdIds.filter(isUuid));
    const unknown = thresholdIds.find((id) => !taken.has(id));
    if (unknown !== undefined) throw invalidRequest("There is no such threshold pack.", unknown);
  }
  return toDeviceTypeRecord(row, await findTypeThresholds(tx, tenantId, row.id));
}

function checkSilence(seconds: number | null): number | null {
  if (seconds === null || (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SILENT_SECONDS)) return seconds;
  throw invalidRequest(`silentForSeconds is a whole number from 1 to ${MAX_SILENT_SECONDS}`, "silentForSeconds");
}

/** Returns the slug of the tenant that a device type belongs to. @throws MusterError not_found */
export async function tenantOfDeviceType(deps: DevicesDeps, id: string): Promise<string> {
  const slug = isUuid(id) ? await findTenantOfType(deps.database.db, id) : undefined;
  if (slug === undefined) throw notFound("device type");
  return slug;
}

export function toDeviceTypeRecord(row: DeviceTypeRow, thresholdIds: string[]): DeviceTypeRecord {
  return {
    id: row.id,
    name: row.name,
    publishTopics: row.publish_topics,
    subscribeTopics: row.subscribe_topics,
    thresholdIds,
    silentForSeconds: row.silent_for_seconds,
    externalId: row.external_id,
    payloadFormat: row.payload_format,
    metrics: row.metrics.map(({ metric, label, unit, pointer, factor }) => ({ metric, label, unit, pointer, factor })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
