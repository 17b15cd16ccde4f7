import type { Connections } from "../../connections/connections.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import type { ConnectRequest } from "./policy.ts";

/** The limit on concurrent look-ups. Beyond it, a refusal is recorded for the platform's administrators only. */
const MAX_LOOK_UPS = DEFAULT_LIMITS.refusalLookUps;

/**
 * Tells the tenant of a device that a client without credentials connected under the device's id. The client only
 * claims the id: anybody may, so the journal keeps one entry an hour for each device.
 */
export class ClaimedDevices {
  readonly #connections: Pick<Connections, "recordRefusal" | "tenantOfDevice">;
  #lookUps = 0;

  constructor(connections: Pick<Connections, "recordRefusal" | "tenantOfDevice">) {
    this.#connections = connections;
  }

  /** Records in the background; never fails. */
  record({ clientId, remoteAddress, tlsVersion }: Claim): void {
    if (this.#lookUps >= MAX_LOOK_UPS || clientId === "") return;
    this.#lookUps++;
    this.#connections
      .tenantOfDevice(clientId)
      .then((tenantId) => {
        if (tenantId === undefined) return;
        const claim = { clientId, deviceId: clientId, isDeviceClaimed: true, remoteAddress, tlsVersion };
        this.#connections.recordRefusal({ reason: "no_credentials", tenantId, ...claim });
      })
      .catch(() => undefined)
      .finally(() => {
        this.#lookUps--;
      });
  }
}

interface Claim extends Pick<ConnectRequest, "clientId" | "remoteAddress"> {
  tlsVersion: string | undefined;
}
