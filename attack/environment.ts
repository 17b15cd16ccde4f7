import type { Sinks } from "../server/test/harness/sinks.ts";
import type { HonestTenant } from "./honest/honest-tenant.ts";
import type { Service } from "./service.ts";
import { createTenant, type Tenant } from "./tenant.ts";

/** What an attack is prepared in. */
export interface Environment {
  readonly service: Service;
  readonly sinks: Sinks;
  readonly honest: HonestTenant;
  readonly short: boolean;
  /** The attacker's own tenant, as any customer has one. */
  newTenant(slug: string): Promise<Tenant>;
}

export function createEnvironment(parts: Omit<Environment, "newTenant">): Environment {
  return { ...parts, newTenant: (slug) => createTenant(parts.service, slug) };
}

/** The attacker's own address, beside the honest tenant's 127.0.0.1. */
export const HOSTILE_ADDRESS = "127.0.0.2";
