/** What the scopes of a resource allow, as people read it. `write` does not imply `read`. */
export const RESOURCES: readonly (readonly [resource: string, label: string])[] = [
  ["devices", "Devices"],
  ["groups", "Groups"],
  ["shifts", "Shifts"],
  ["thresholds", "Threshold packs"],
  ["anomalies", "Anomalies"],
  ["tickets", "Tickets"],
];

/** Scopes that reach identities, apart from the others. */
export const IDENTITY_SCOPES: readonly (readonly [scope: string, label: string, consequence: string])[] = [
  ["provisioning:read", "Read claims", "Sees names, uses and devices of claims, never their codes."],
  ["provisioning:write", "Create and revoke claims", "A claim code is enough to enroll a device of this tenant."],
  ["device-certificates:read", "Read certificates", "Sees certificates and their audit, never a private key."],
  ["device-certificates:issue", "Issue bundles", "Gets the private key of a device: can connect as any device."],
  ["device-certificates:revoke", "Revoke certificates", "Can disconnect every device of this tenant for good."],
];

/** Scopes with which someone can act as a device, or end its identity. */
export const DANGEROUS_SCOPES: ReadonlySet<string> = new Set([
  "provisioning:write",
  "device-certificates:issue",
  "device-certificates:revoke",
]);
