import { boundedToGroupsOf, type Caller, useCase } from "../access/access.ts";
import { OVERDUE_MS, topicPrefix } from "../devices/devices.ts";
import { addMs, DAY } from "../lib/clock.ts";
import { isDeviceId } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import type { OverviewDeps } from "./deps.ts";
import { type FindingKind, type FindingRow, type FindingScope, listFindingRows } from "./finding-store.ts";
import { SharedReads } from "./shared-reads.ts";

export interface FindingQuery extends PageRequest {
  deviceId?: string | undefined;
  kind?: FindingKind | undefined;
}

/** A problem of a device that nevertheless works. */
export interface Finding {
  kind: FindingKind;
  deviceId: string;
  deviceName: string;
  certificateId: string | null;
  /** The affected metrics; empty if it is not about telemetry. */
  metrics: string[];
  at: Date;
  /** The meaning and the remedy, in sentences. */
  cause: string;
  cure: string;
}

const TEXTS: Readonly<Record<FindingKind, { cause: string; cure: string }>> = {
  shared_key: {
    cause:
      "The private key of the device's certificate is also in use on another device: the key was copied, or generated badly.",
    cure: "Have the device renew with a new key. If a key was copied on purpose, revoke the certificate that should not exist.",
  },
  publishes_nowhere: {
    cause:
      "The device has a certificate that may publish on no topic: when it was issued, the device had no type, or the type had no topics.",
    cure: "Set the device type and its publish topics, then have the certificate renewed or issued again, and the device reconnect.",
  },
  renewal_overdue: {
    cause:
      "The device should have renewed its certificate at least a day ago. It will be refused when the certificate expires.",
    cure: "Check that the device is online and that its agent reaches the renewal endpoint, or issue a bundle for it.",
  },
  bundle_expiring: {
    cause:
      "The device's certificate is a bundle that ends within 30 days. The device does not renew it by itself and is refused after that.",
    cure: "Issue a new bundle, install it on the device, wait until it connects, then revoke the old one.",
  },
  clock_replaced: {
    cause:
      "The device sent a time that is more than 10 minutes ahead or 30 days old. Its values are stored with the time of the server.",
    cure: "Set the device's clock, or leave the time out of its messages.",
  },
  values_rejected: {
    cause:
      "The device sent values in the last 24 hours that are not stored, because they are no telemetry or too many.",
    cure: "Open the rejected messages of the device: each names the fields at fault, with the reason. Change what it sends.",
  },
  server_root_missing: {
    cause:
      "The device has not shown that it has the new server root. Once the broker uses it, the device cannot verify the broker.",
    cure: "Have the device renew its certificate and connect: the answer has the root in its CA bundle. Give a device with a bundle a new one.",
  },
  topics_changed: {
    cause:
      "The topics of the device's type, or the type itself, have changed since its certificate was issued. The broker enforces the topics in the certificate.",
    cure: "Have the device renew its certificate, or issue a new bundle for it: the new one has the current topics. Then have it reconnect.",
  },
};

/** The same period as for the notices and `certificateState: expiring` (docs/spec-decisions.md). */
const EXPIRING_MS = 30 * DAY;

const sharedReads = new SharedReads<Awaited<ReturnType<typeof listFindingRows>>>();

/**
 * Lists the current problems of the caller's devices, newest first. A device that the caller may not see has no
 * findings.
 *
 * A finding ends with its cause: a shared key with its certificate, a replaced time with the next correct one. Changed
 * topics are found for single devices only; `listOutdatedDevices` lists them for a type.
 */
export const listFindings = useCase(
  { role: "viewer" },
  async (deps: OverviewDeps, caller, { skip, limit, ...filter }: FindingQuery): Promise<Page<Finding>> => {
    if (filter.deviceId !== undefined && !isDeviceId(filter.deviceId)) return { items: [], total: 0, skip, limit };
    const viewer = boundedToGroupsOf(caller);
    const read = async () => {
      const scope = findingScope(caller, deps.clock.now(), { ...filter, serverRoot: await deps.authorities.rollout() });
      return await listFindingRows(deps.database.db, scope, { skip, limit });
    };
    const key = JSON.stringify([viewer, filter.kind, skip, limit]);
    const { rows, total } =
      filter.deviceId === undefined
        ? await sharedReads.read(deps.database.db, caller.tenantId, key, read)
        : await read();
    return { items: rows.map(toFinding), total, skip, limit };
  },
);

/** Returns the scope of the findings at `now` for the devices that the caller may see. */
export function findingScope(
  caller: Caller,
  now: Date,
  filter: Pick<FindingScope, "deviceId" | "kind" | "serverRoot"> = {},
): FindingScope {
  const bounds = {
    overdueBefore: addMs(now, -OVERDUE_MS),
    expiringBefore: addMs(now, EXPIRING_MS),
    rejectedSince: addMs(now, -DAY),
  };
  const { tenantId, tenantSlug } = caller;
  return {
    tenantId,
    topicPrefix: topicPrefix(tenantSlug),
    now,
    ...bounds,
    viewer: boundedToGroupsOf(caller),
    ...filter,
  };
}

function toFinding({ kind, device_id, device_name, certificate_id, metrics, at }: FindingRow): Finding {
  return {
    kind,
    deviceId: device_id,
    deviceName: device_name,
    certificateId: certificate_id,
    metrics,
    at,
    ...TEXTS[kind],
  };
}
