import dangerous from "../api/generated/dangerous-scopes.json" with { type: "json" };

type Actions = readonly ("read" | "write")[];
const BOTH: Actions = ["read", "write"];
const READ: Actions = ["read"];

/** The readable names of resources, and the actions of their scopes. `write` does not imply `read`. */
export const RESOURCES: readonly (readonly [resource: string, label: string, actions: Actions])[] = [
  ["devices", "Devices", BOTH],
  ["telemetry", "Telemetry", READ],
  ["refusals", "Refusals", READ],
  ["events", "Event streams", READ],
  ["groups", "Groups", BOTH],
  ["shifts", "Shifts", BOTH],
  ["thresholds", "Threshold packs", BOTH],
  ["anomalies", "Anomalies", BOTH],
  ["tickets", "Tickets", BOTH],
];

type ExplainedScope = readonly [scope: string, label: string, consequence: string];

/** The scopes that reach identities. */
const IDENTITY_SCOPES: readonly ExplainedScope[] = [
  ["provisioning:read", "Read claims", "Sees names, uses and devices of claims, never their codes."],
  ["provisioning:write", "Create and revoke claims", "A claim code is enough to enroll a device of this tenant."],
  ["device-certificates:read", "Read certificates", "Sees certificates and their audit, never a private key."],
  ["device-certificates:issue", "Issue bundles", "Gets the private key of a device: can connect as any device."],
  ["device-certificates:revoke", "Revoke certificates", "Can disconnect every device of this tenant for good."],
  ["device-registry:create", "Add devices", "A device that is added needs a bundle before it can connect."],
  ["device-registry:delete", "Delete devices", "Ends the identity of a device and deletes its telemetry for good."],
];

/** The scopes that reach systems outside. */
const WEBHOOK_SCOPES: readonly ExplainedScope[] = [
  [
    "webhooks:read",
    "Read webhooks",
    "Sees the addresses of webhooks and whether messages arrive there, never a secret.",
  ],
  [
    "webhooks:write",
    "Add, change and delete webhooks",
    "Can have the pages of any group sent to an address outside, and take other webhooks off.",
  ],
];

/** The scopes that need an explanation of their effects. */
export const EXPLAINED_SCOPES: readonly (readonly [title: string, scopes: readonly ExplainedScope[]])[] = [
  ["Identities of devices", IDENTITY_SCOPES],
  ["Messages to other systems", WEBHOOK_SCOPES],
];

/**
 * The scopes with which a caller can act as a device, end its identity, or have data sent elsewhere, as the service
 * lists them.
 */
export const DANGEROUS_SCOPES: ReadonlySet<string> = new Set(dangerous);
