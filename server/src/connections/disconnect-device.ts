import { adminUseCase, boundedToGroupsOf, type PreparedChange } from "../access/access.ts";
import { lockDevice } from "../devices/devices.ts";
import { isDeviceId } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import type { ConnectionsDeps } from "./deps.ts";

import { DROP_TIMEOUT_MS, type Drops } from "./drops/drops.ts";
import { type DropNumbers, enqueueDrops } from "./drops/enqueue-drop-store.ts";

/**
 * Closes the sessions of a device, in whichever process, before returning. Its certificates stay valid, so it may
 * reconnect immediately.
 *
 * @throws {MusterError} not_found
 */
export const disconnectDevice = adminUseCase(
  { role: "admin" },
  "device.disconnect",
  async (deps: ConnectionsDeps & { drops: Drops }, caller, deviceId: string): Promise<PreparedChange<void>> => {
    const { tenantId } = caller;
    if (!isDeviceId(deviceId)) throw notFound("device");
    let drops: DropNumbers;
    return {
      change: async (tx) => {
        const uid = await lockDevice(tx, tenantId, deviceId, boundedToGroupsOf(caller));
        if (uid === undefined) throw notFound("device");
        drops = await enqueueDrops(
          tx,
          { deviceUid: uid, reason: "disconnected by an admin", staysValid: true },
          deps.clock.now(),
        );
        return { target: deviceId, after: { sessions: "closed" }, result: undefined };
      },
      committed: async () => {
        await deps.drops.awaitDrops(drops, DROP_TIMEOUT_MS);
      },
    };
  },
);
