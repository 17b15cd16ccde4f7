import type { Authority, Rotation } from "../api/people/platform.ts";
import type { Tone } from "../ui/theme/tones.ts";

export const AUTHORITY_ROLES: Readonly<Record<Authority["role"], string>> = {
  device_root: "Root of devices",
  device_intermediate: "Intermediate of devices",
  server_root: "Root of the server",
  broker_server: "Broker's certificate",
  https_server: "HTTPS certificate",
};

export const AUTHORITY_STATES: Readonly<Record<Authority["status"], readonly [tone: Tone, label: string]>> = {
  upcoming: ["accent", "Upcoming"],
  active: ["good", "Active"],
  retiring: ["warn", "Retiring"],
  retired: ["neutral", "Retired"],
};

/** The effects of the rotations; no certificate in use becomes invalid. */
export const ROTATIONS: Readonly<Record<Rotation, { action: string; consequence: string }>> = {
  intermediate: {
    action: "Rotate intermediate",
    consequence: "New certificates of devices come from a new intermediate. Those in use stay valid until they expire.",
  },
  root: {
    action: "Rotate roots",
    consequence:
      "A new root of devices issues from now on. A new root of the server is announced to devices with their renewals, and active 35 days later.",
  },
  rootImmediately: {
    action: "Rotate roots at once",
    consequence:
      "As a rotation of the roots, but the new root of the server is active at once: devices that do not know it yet cannot verify the broker until they are given it. For a root whose key may be known to others.",
  },
  server: {
    action: "Rotate server certificates",
    consequence: "The listeners present new certificates of the same root. Open connections stay.",
  },
};
