import { adminUseCase, type PreparedChange } from "../access/access.ts";
import { isDeviceId } from "../lib/ids.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { plainLine, plainText } from "../lib/text.ts";
import { assignGroups, requireDeviceType } from "./assign.ts";
import type { DevicesDeps } from "./deps.ts";
import { insertDevice } from "./device-store.ts";
import { findDevice } from "./device-view-store.ts";
import { checkMetadata, type Metadata } from "./metadata.ts";
import { type DeviceRecord, toRecord } from "./view-devices.ts";

export interface NewDevice {
  /** The MQTT client id, the certificate's CN and a topic segment; random by default. It never changes. */
  id?: string | undefined;
  name: string;
  description?: string | undefined;
  deviceTypeId?: string | undefined;
  groupIds?: readonly string[] | undefined;
  metadata?: Metadata | undefined;
}

/**
 * Adds a device manually (a claim adds an enrolling device).
 *
 * @throws MusterError invalid_request with the offending id in `detail`; already_exists; quota_exceeded
 */
export const createDevice = adminUseCase(
  { scope: "device-registry:create", role: "admin" },
  "device.create",
  async (deps: DevicesDeps, caller, input: NewDevice): Promise<PreparedChange<DeviceRecord>> => {
    const id = input.id ?? deps.ids.deviceId();
    const now = deps.clock.now();
    const times = { created_at: now, updated_at: now };
    const row = { uid: deps.ids.uuid(now), ...checkNewDevice({ ...input, id }), ...times };
    return {
      admitted: (run) => deps.quotas.addOne(caller.tenantId, "devices", run),
      change: async (tx, round = null) => {
        if (row.device_type_id !== null) await requireDeviceType(tx, caller.tenantId, row.device_type_id);
        await insertDevice(tx, caller.tenantId, row, round);
        await assignGroups(tx, caller.tenantId, row.uid, [...new Set(input.groupIds ?? [])]);
        const result = toRecord((await findDevice(tx, caller.tenantId, id, {}, now))!);
        const { name, description, deviceTypeId, groupIds, metadata } = result;
        return { target: id, after: { name, description, deviceTypeId, groupIds, metadata }, result };
      },
    };
  },
);

/** Returns the valid fields of a new device. @throws MusterError invalid_request */
export function checkNewDevice(input: NewDevice & { id: string }) {
  if (!isDeviceId(input.id)) throw invalidRequest("a device id must have 1 to 64 of A-Z a-z 0-9 _ -", input.id);
  return {
    id: input.id,
    name: plainLine("name", input.name),
    description: plainText("description", input.description ?? ""),
    device_type_id: input.deviceTypeId ?? null,
    metadata: checkMetadata(input.metadata ?? {}),
  };
}
