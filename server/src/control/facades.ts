import type { Access } from "../access/access.ts";
import type { Authorities } from "../authorities/authorities.ts";
import type { Backup } from "../backup/backup.ts";
import type { Certificates } from "../certificates/certificates.ts";
import type { Commands } from "../commands/commands.ts";
import type { Connections } from "../connections/connections.ts";
import type { Devices } from "../devices/devices.ts";
import type { Doctor } from "../doctor/doctor.ts";
import type { Enrollment } from "../enrollment/enrollment.ts";
import type { Groups } from "../groups/groups.ts";
import type { Identity } from "../identity/identity.ts";
import type { Notifications } from "../notifications/notifications.ts";
import type { Platform } from "../platform/platform.ts";
import type { Rules } from "../rules/rules.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** The processes of the service. */
export interface Workers {
  /** Replaces them in turn, each once its successor serves. Absent if the service has only one process. */
  restart?: (() => Promise<{ restarted: number }>) | undefined;
}

/** The facades that the shell's commands call. */
export interface Facades {
  access: Access;
  authorities: Authorities;
  backup: Backup;
  certificates: Certificates;
  commands: Commands;
  connections: Connections;
  devices: Devices;
  doctor: Doctor;
  enrollment: Enrollment;
  groups: Groups;
  identity: Identity;
  platform: Platform;
  rules: Rules;
  telemetry: Telemetry;
  notifications: Notifications;
  workers: Workers;
  /** The addresses of the service for devices and clients. */
  addresses: { readonly baseUrl: string; readonly brokerUrl: string };
}
