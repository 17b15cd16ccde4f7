import { t } from "#texts/words.ts";
import type { Authority, Rotation } from "../api/people/platform.ts";
import type { Tone } from "../ui/theme/tones.ts";

export const AUTHORITY_ROLES: Readonly<Record<Authority["role"], string>> = {
  device_root: t.rootOfDevices,
  device_intermediate: t.intermediateOfDevices,
  server_root: t.rootOfTheServer,
  broker_server: t.brokersCertificate,
  https_server: t.httpsCertificate,
};

export const AUTHORITY_STATES: Readonly<Record<Authority["status"], readonly [tone: Tone, label: string]>> = {
  upcoming: ["accent", t.upcoming],
  active: ["good", t.active],
  retiring: ["warn", t.retiring],
  retired: ["neutral", t.retired],
};

/** The effects of the rotations; no certificate in use becomes invalid. */
export const ROTATIONS: Readonly<Record<Rotation, { action: string; consequence: string }>> = {
  intermediate: {
    action: t.rotateIntermediate,
    consequence: t.newCertificatesOfDevicesCome,
  },
  root: {
    action: t.rotateRoots,
    consequence: t.aNewRootOfDevices,
  },
  rootImmediately: {
    action: t.rotateRootsAtOnce,
    consequence: t.asARotationOfThe,
  },
  server: {
    action: t.rotateServerCertificates,
    consequence: t.theListenersPresentNewCertificates,
  },
};
