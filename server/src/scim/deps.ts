import type { AccessDeps } from "../access/access.ts";

/** The dependencies of this feature. */
export interface ScimDeps extends AccessDeps {
  /** The base address of the service. */
  baseUrl: () => string;
}

/** Returns the address of the SCIM API. */
export function scimBase({ baseUrl }: Pick<ScimDeps, "baseUrl">): string {
  return `${baseUrl()}/scim/v2`;
}
