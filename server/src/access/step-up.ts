import { expandScopes, type Scope } from "./keys/scopes.ts";

/** When an operation needs password and second factor given within the last minutes: always, for some bodies, or beyond some devices. */
export type StepUpRule = true | ((body: never) => boolean) | "many devices";

interface DangerousAct {
  stepUp: StepUpRule;
  /** Scopes with which an API key may do the same, so that a key with one of them is dangerous to make. */
  scopes?: readonly Scope[];
}

/**
 * The operations that ask for a fresh verification: a stolen session could keep, send elsewhere or destroy something with them. Operations of the
 * admin API by their ids. Every other operation that writes is in {@link HARMLESS_OPERATIONS}; a route in neither list does not start.
 */
export const DANGEROUS_OPERATIONS: Readonly<Record<string, DangerousAct>> = {
  // Identities of devices and programs.
  createClaim: {
    stepUp: ({ maxUses }: { maxUses?: number }) => maxUses !== undefined && maxUses > 1,
    scopes: ["provisioning:write"],
  },
  // Every scope of certificates: to read them shows which identity to go for.
  issueCertificate: { stepUp: true, scopes: ["device-certificates:issue", "device-certificates:read"] },
  createMqttClient: { stepUp: true },
  rotateMqttClientPassword: { stepUp: true },
  enableMqttClient: { stepUp: true },
  createKey: { stepUp: ({ scopes }: { scopes: readonly string[] }) => dangerousScopesOf(scopes).length > 0 },
  // People who can sign in.
  inviteUser: { stepUp: ({ role }: { role: string }) => role === "admin" },
  createTenant: { stepUp: true },
  changeUser: { stepUp: true },
  resetUser: { stepUp: true },
  resetUserFactor: { stepUp: true },
  startFactor: { stepUp: true },
  removeFactor: { stepUp: true },
  renewRecoveryCodes: { stepUp: true },
  // Data that goes elsewhere, and secrets with which it is signed.
  createGroup: { stepUp: addsChannels, scopes: ["groups:write"] },
  updateGroup: { stepUp: addsChannels },
  showWebhook: { stepUp: true, scopes: ["webhooks:write"] },
  addOwnChannel: { stepUp: true },
  // These operations reach many devices.
  sendCommand: { stepUp: "many devices" },
  // These operations cannot be undone.
  changeDevices: { stepUp: ({ act }: { act: string }) => act !== "change" },
  deleteDevice: { stepUp: true, scopes: ["device-registry:delete"] },
  revokeCertificate: { stepUp: true, scopes: ["device-certificates:revoke"] },
  revokeCertificatesOfDevice: { stepUp: true },
  revokeKey: { stepUp: true },
  deleteUser: { stepUp: true },
  // Rules for all.
  updateTenant: { stepUp: true },
  rotateAuthorities: { stepUp: true },
};

/** Operations of the admin API that write and need no step-up: they end rights, stay within the tenant, or ask for a secret themselves. */
export const HARMLESS_OPERATIONS: ReadonlySet<string> = new Set([
  // They ask for the password, a code or the token of a link.
  ...["signIn", "giveFactor", "stepUp", "changePassword", "confirmFactor", "setUp", "openInvite", "acceptInvite"],
  ...["forgotPassword", "resetPassword"],
  // They end something that can be made again.
  ...[
    "signOut",
    "endSession",
    "endOtherSessions",
    "withdrawInvite",
    "revokeClaim",
    "cancelCommand",
    "disconnectDevice",
  ],
  ...["disableMqttClient", "deleteMqttClient", "removeOwnChannel", "unassignShift"],
  // Records of the tenant, whose changes the audits and histories show.
  ...["createDevice", "replaceDevice", "createDeviceType", "updateDeviceType", "deleteDeviceType", "deleteGroup"],
  ...[
    "createShift",
    "updateShift",
    "deleteShift",
    "assignShift",
    "createThreshold",
    "updateThreshold",
    "deleteThreshold",
  ],
  ...["dryRunThreshold", "openTicket", "changeTicket", "commentTicket", "acknowledgeAnomalies"],
  // Messages to addresses that were added before, which takes a step-up.
  ...["requestConfirmation", "testGroup", "testOwnNotifications", "setOwnNotifications"],
  // These operations concern one user alone.
  ...["saveFilter", "renameFilter", "deleteFilter"],
]);

/** Scopes with which someone can act as a device, end identities, or have data sent elsewhere. */
export const DANGEROUS_SCOPES: ReadonlySet<Scope> = new Set(
  Object.values(DANGEROUS_OPERATIONS).flatMap(({ scopes = [] }) => scopes),
);

/** Those of granted scopes that are dangerous, wildcards expanded. */
export function dangerousScopesOf(granted: readonly string[]): Scope[] {
  return [...expandScopes(granted)].filter((scope) => DANGEROUS_SCOPES.has(scope));
}

function addsChannels({ channels }: { channels?: readonly unknown[] | undefined }): boolean {
  return channels !== undefined && channels.length > 0;
}
