import { boundedToGroupsOf, type Caller, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { DevicesDeps } from "../deps.ts";
import { type DeviceTypeRow, findTypeThresholds } from "../device-type-store.ts";
import { type DeviceTypeRecord, toDeviceTypeRecord } from "../device-types.ts";
import { topicPrefix } from "../topics.ts";
import { countUse, findDeviceTypeRow, listOutdatedRows, type TypeUse } from "./type-use-store.ts";

/** A device type with the records that refer to it, limited to devices that the caller sees. */
export interface DeviceTypeDetail extends DeviceTypeRecord, TypeUse {}

/** @throws MusterError not_found */
export const getDeviceType = useCase(
  { scope: "device-types:read", role: "viewer" },
  async (deps: DevicesDeps, caller, id: string): Promise<DeviceTypeDetail> => {
    const { db } = deps.database;
    const row = await requireType(deps, caller, id);
    const use = await countUse(db, caller.tenantId, id, boundedToGroupsOf(caller), deps.clock.now());
    return { ...toDeviceTypeRecord(row, await findTypeThresholds(db, caller.tenantId, id)), ...use };
  },
);

/** A device with live certificates whose topics differ from those of its type. */
export interface OutdatedDevice {
  id: string;
  name: string;
  /** The certificates with other topics, newest first. A renewal or a new bundle gets the current topics. */
  certificateIds: string[];
}

/**
 * Lists the devices whose certificates have other topics than their type, because the type was changed later. The
 * newest come first. This reads every device of the type.
 *
 * @throws MusterError not_found; invalid_request when the type has more devices than a search may read; rate_limited
 */
export const listOutdatedDevices = useCase(
  { role: "viewer" },
  async (deps: DevicesDeps, caller, id: string, page: PageRequest): Promise<Page<OutdatedDevice>> => {
    const { publish_topics, subscribe_topics } = await requireType(deps, caller, id);
    const topics = { prefix: topicPrefix(caller.tenantSlug), publish: publish_topics, subscribe: subscribe_topics };
    const wanted = { topics, viewer: boundedToGroupsOf(caller), now: deps.clock.now() };
    const { rows, total } = await listOutdatedRows(deps.database.db, caller.tenantId, id, wanted, page);
    const items = rows.map(({ certificate_ids: certificateIds, ...row }) => ({ ...row, certificateIds }));
    return { items, total, ...page };
  },
);

async function requireType({ database }: DevicesDeps, { tenantId }: Caller, id: string): Promise<DeviceTypeRow> {
  const row = isUuid(id) ? await findDeviceTypeRow(database.db, tenantId, id) : undefined;
  if (row === undefined) throw notFound("device type");
  return row;
}
