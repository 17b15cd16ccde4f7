import type { Metadata } from "../../devices/devices.ts";

/** A row of an imported file. Absent fields stay unchanged. */
export interface ImportRow {
  /** The device's id, or the id that a new device gets. */
  id?: string | undefined;
  /** Finds a device that enrolled itself, for a row without `id`. */
  hardwareFingerprint?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  /** The id or the name of a device type. */
  deviceType?: string | undefined;
  /** Ids or names of groups that the device joins; it leaves none. */
  groups?: readonly string[] | undefined;
  /** Fields that its metadata gets; other fields stay. */
  metadata?: Metadata | undefined;
}
