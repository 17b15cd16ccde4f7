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

/** Something about a device that works and is not as it should be. */
export interface Finding {
  kind: FindingKind;
  deviceId: string;
  deviceName: string;
  certificateId: string | null;
  /** The metrics concerned; empty where it is not about telemetry. */
  metrics: string[];
  at: Date;
  /** What it means and what to do, in sentences. */
  cause: string;
  cure: string;
}

const TEXTS: Readonly<Record<FindingKind, { cause: string; cure: string }>> = {
  shared_key: {
    cause:
      "The private key of the device's certificate is also that of another device: the key was copied, or generated badly.",
    cure: "Have the device renew with a new key. If a key was copied on purpose, revoke the certificate that should not exist.",
  },
  publishes_nowhere: {
    cause:
      "The device has a certificate that may publish on no topic: when it was issued, the device had no type, or the type had no topics.",
    cure: "Set the device type and its publish topics, then have the certificate renewed or issued again, and the device reconnect.",
  },
  renewal_overdue: {
    cause:
      "The device should have renewed its certificate a day ago or earlier. It will be refused when the certificate expires.",
    cure: "Check that the device is online and that its agent reaches the renewal endpoint; or issue a bundle for it.",
  },
  bundle_expiring: {
    cause:
      "The device's certificate is a bundle that ends within 30 days. The device does not renew it by itself, and is refused once it has ended.",
    cure: "Issue a new bundle, install it on the device, see it connect, then revoke the former one.",
  },
  clock_replaced: {
    cause:
      "The device sent a time that is more than 10 minutes ahead or 30 days old. Its values are stored with the time of the server.",
    cure: "Set the device's clock, or leave the time out of its messages.",
  },
  server_root_missing: {
    cause:
      "The device has not shown that it has the new server root. Once the broker is served with it, the device cannot verify the broker.",
    cure: "Have the device renew its certificate and connect: the answer has the root in its CA bundle. Give a device with a bundle a new one.",
  },
  topics_changed: {
    cause:
      "The topics of the device's type, or the type itself, have changed since its certificate was issued. The broker goes by the topics of the certificate.",
    cure: "Have the device renew its certificate, or issue a new bundle for it: the new one has the present topics. Then have it reconnect.",
  },
};

/** As the notices and `certificateState: expiring` (docs/spec-decisions.md). */
const EXPIRING_MS = 30 * DAY;

const sharedReads = new SharedReads<Awaited<ReturnType<typeof listFindingRows>>>();

/**
 * What is wrong with the caller's devices now, newest first. A device that the caller does not see has no finding.
 *
 * A finding ends by itself when its cause does: a shared key with its certificate, a replaced time with the next right one. Topics that
 * have changed are found of one device alone; `listOutdatedDevices` lists them for a type.
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

/** What to read of the findings at `now` of the devices that the caller sees. */
export function findingScope(
  caller: Caller,
  now: Date,
  filter: Pick<FindingScope, "deviceId" | "kind" | "serverRoot"> = {},
): FindingScope {
  const bounds = { overdueBefore: addMs(now, -OVERDUE_MS), expiringBefore: addMs(now, EXPIRING_MS) };
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
