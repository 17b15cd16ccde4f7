import type { Caller } from "../access/access.ts";

/** The identity provider that holds a tenant's provisioning token. */
export interface Provisioner {
  tenantId: string;
  tenantSlug: string;
  /** `scim:<id of the token>` in audit entries. */
  actor: string;
  address: string;
}

/** Returns the provisioner with the rights that it has: those of an admin who does not run the installation. */
export function rightsOf({ tenantId, tenantSlug, actor, address }: Provisioner): Caller {
  return { tenantId, tenantSlug, actor, address, rights: { kind: "user", userId: "", role: "admin", platform: false } };
}
