import { expandScopes, type Scope } from "./keys/scopes.ts";

/**
 * When an operation needs a recent check of password and second factor: always, for some bodies, or above a number of
 * devices.
 */
export type StepUpRule = true | ((body: never) => boolean) | "many devices";

interface DangerousAct {
  stepUp: StepUpRule;
  /** Scopes that allow an API key the same, so that creating a key with one of them is dangerous too. */
  scopes?: readonly Scope[];
}

/**
 * The operations of the admin API, by id, that require a fresh verification: with them, a stolen session could gain
 * permanent access, redirect data or destroy it. Every other operation that writes is in {@link HARMLESS_OPERATIONS}; a
 * route in neither list fails at start-up.
 */
export const DANGEROUS_OPERATIONS: Readonly<Record<string, DangerousAct>> = {
  // Identities of devices and programs.
  createClaim: {
    stepUp: ({ maxUses }: { maxUses?: number }) => maxUses !== undefined && maxUses > 1,
    scopes: ["provisioning:write"],
  },
  allowReenrollment: { stepUp: true },
  // Every scope of certificates is dangerous: reading them shows which identity to attack.
  issueCertificate: { stepUp: true, scopes: ["device-certificates:issue", "device-certificates:read"] },
  createMqttClient: { stepUp: true, scopes: ["mqtt-clients:write"] },
  rotateMqttClientPassword: { stepUp: true },
  enableMqttClient: { stepUp: true },
  // A key of a service account outlives its creator.
  createKey: { stepUp: ({ scopes, serviceAccountId: account }: AskedKey) => !!account || isDangerous(scopes) },
  createServiceAccount: { stepUp: true },
  updateServiceAccount: { stepUp: true },
  deleteServiceAccount: { stepUp: true },
  rotateKey: { stepUp: true, scopes: ["own-key:rotate"] },
  // People who can sign in.
  inviteUser: { stepUp: ({ role }: { role: string }) => role === "admin", scopes: ["users:write"] },
  createTenant: { stepUp: true },
  changeUser: { stepUp: true },
  resetUser: { stepUp: true },
  resetUserFactor: { stepUp: true },
  createScimToken: { stepUp: true },
  mapScimGroup: { stepUp: true },
  startFactor: { stepUp: true },
  removeFactor: { stepUp: true },
  startPasskey: { stepUp: true },
  removePasskey: { stepUp: true },
  renewRecoveryCodes: { stepUp: true },
  saveSingleSignOn: { stepUp: true },
  removeSingleSignOn: { stepUp: true },
  // Data sent elsewhere, and the secrets that sign it.
  createGroup: { stepUp: addsChannels, scopes: ["groups:write"] },
  updateGroup: { stepUp: addsChannels, scopes: ["group-channels:write", "group-members:write"] },
  setAuditStream: { stepUp: true },
  deleteAuditStream: { stepUp: true },
  showWebhook: { stepUp: true, scopes: ["webhooks:write"] },
  addOwnChannel: { stepUp: true },
  addOwnPush: { stepUp: true },
  createFeed: { stepUp: true },
  createIntegration: { stepUp: true },
  // These operations reach many devices.
  sendCommand: { stepUp: "many devices", scopes: ["commands:write"] },
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

/**
 * The writing operations of the admin API that need no step-up: they end rights, stay within the tenant, or require a
 * secret themselves.
 */
export const HARMLESS_OPERATIONS: ReadonlySet<string> = new Set([
  // These operations require the password, a code or the token of a link.
  ...["signIn", "giveFactor", "stepUp", "changePassword", "confirmFactor", "setUp", "openInvite", "acceptInvite"],
  ...["forgotPassword", "resetPassword"],
  // These operations give a challenge, or require one that a passkey signed.
  ...["startPasskeySignIn", "completePasskeySignIn", "startPasskeyCheck", "givePasskey", "stepUpWithPasskey"],
  ...["addPasskey", "renamePasskey"],
  // These operations lead to an identity provider, or bring its answer, which is verified.
  ...["showSignInMethods", "startProviderSignIn", "completeProviderSignIn"],
  ...["startProviderStepUp", "completeProviderStepUp", "startProviderTest", "completeProviderTest"],
  // These operations end something that can be recreated.
  ...[
    "signOut",
    "endSession",
    "endOtherSessions",
    "withdrawInvite",
    "deleteScimToken",
    "revokeClaim",
    "cancelCommand",
    "disconnectDevice",
    "startClientTrace",
  ],
  ...["disableMqttClient", "deleteMqttClient", "removeOwnChannel", "unassignShift", "deleteIntegration"],
  ...["deleteFeed"],
  // These operations change records of the tenant; audits and histories show the changes.
  ...[
    "createDevice",
    "importDevices",
    "replaceDevice",
    "createDeviceType",
    "updateDeviceType",
    "deleteDeviceType",
    "deleteGroup",
  ],
  ...[
    "createShift",
    "updateShift",
    "deleteShift",
    "snoozeAnomaly",
    "muteRule",
    "createOverride",
    "deleteOverride",
    "offerDuty",
    "agreeToOffer",
    "withdrawOffer",
    "createAbsence",
    "endAbsence",
    "createOwnAbsence",
    "endOwnAbsence",
    "createMaintenanceWindow",
    "endMaintenanceWindow",
    "extendMaintenanceWindow",
    "deleteMaintenanceWindow",
    "assignShift",
    "createThreshold",
    "updateThreshold",
    "deleteThreshold",
  ],
  ...[
    "dryRunThreshold",
    "replayPaging",
    "tryPayload",
    "openTicket",
    "changeTicket",
    "commentTicket",
    "acknowledgeAnomalies",
  ],
  // These operations send messages to addresses whose addition required a step-up.
  ...["requestConfirmation", "testGroup", "testOwnNotifications", "setOwnNotifications"],
  // These operations concern one user alone.
  ...["saveFilter", "renameFilter", "deleteFilter", "changeProfile"],
]);

/** The scopes that allow their holder to act as a device, end identities, or redirect data. */
export const DANGEROUS_SCOPES: ReadonlySet<Scope> = new Set(
  Object.values(DANGEROUS_OPERATIONS).flatMap(({ scopes = [] }) => scopes),
);

/** Returns the dangerous ones among granted scopes, with wildcards expanded. */
export function dangerousScopesOf(granted: readonly string[]): Scope[] {
  return [...expandScopes(granted)].filter((scope) => DANGEROUS_SCOPES.has(scope));
}

interface AskedKey {
  scopes: readonly string[];
  serviceAccountId?: string | undefined;
}

const isDangerous = (scopes: readonly string[]) => dangerousScopesOf(scopes).length > 0;

function addsChannels({ channels }: { channels?: readonly unknown[] | undefined }): boolean {
  return channels !== undefined && channels.length > 0;
}
