import type { Access, Caller } from "../access/access.ts";
import type { Authorities } from "../authorities/authorities.ts";
import type { Devices } from "../devices/devices.ts";
import type { Groups } from "../groups/groups.ts";

/** What the shell's commands use of the service, and no more. */
export interface ControlFaces {
  access: Access;
  authorities: Pick<Authorities, "status" | "rotateIntermediate" | "rotateRoot" | "rotateServer">;
  connections: {
    createMqttClient(
      caller: Caller,
      input: { clientId: string; username: string; publish: string[]; subscribe: string[] },
    ): Promise<{ id: string; password: string }>;
  };
  devices: Devices;
  doctor: { examine(options: { deep: boolean }): Promise<object> };
  enrollment: {
    createClaim(
      caller: Caller,
      input: {
        intendedName: string;
        intendedGroupIds?: string[] | undefined;
        intendedDeviceTypeId?: string | undefined;
        expiresInMinutes?: number | undefined;
        maxUses?: number | undefined;
      },
    ): Promise<{ id: string; claimCode: string; expiresAt: Date | string }>;
    deleteDevice(caller: Caller, deviceId: string): Promise<void>;
  };
  groups: Groups;
  /** Where devices and clients reach the service. */
  addresses: { readonly baseUrl: string; readonly brokerUrl: string };
}
