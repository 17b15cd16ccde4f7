import type { Access } from "../access/access.ts";
import type { Authorities } from "../authorities/authorities.ts";
import type { Backup } from "../backup/backup.ts";
import type { Connections } from "../connections/connections.ts";
import type { Devices } from "../devices/devices.ts";
import type { Doctor } from "../doctor/doctor.ts";
import type { Enrollment } from "../enrollment/enrollment.ts";
import type { Groups } from "../groups/groups.ts";
import type { Notifications } from "../notifications/notifications.ts";
import type { Rules } from "../rules/rules.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** What the shell's commands use of the service, and no more. */
export interface ControlFaces {
  access: Access;
  authorities: Pick<Authorities, "status" | "rotateIntermediate" | "rotateRoot" | "rotateServer">;
  backup: Backup;
  connections: Pick<Connections, "createMqttClient">;
  devices: Devices;
  doctor: Doctor;
  enrollment: Pick<Enrollment, "createClaim" | "deleteDevice">;
  groups: Pick<Groups, "createShift">;
  rules: Rules;
  telemetry: Pick<Telemetry, "latest" | "rejectedMessages">;
  notifications: Pick<Notifications, "listDeliveries" | "onCallOfDevice" | "onCallOfGroup" | "showWebhook">;
  /** Where devices and clients reach the service. */
  addresses: { readonly baseUrl: string; readonly brokerUrl: string };
}
