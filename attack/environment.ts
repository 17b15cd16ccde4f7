import type { Sinks } from "../server/test/harness/sinks.ts";
import type { HonestTenant } from "./honest/honest-tenant.ts";
import type { Service } from "./service.ts";
import { createTenant, type Tenant } from "./tenant.ts";

/** The running service and its honest tenant. */
export interface Scene {
  readonly service: Service;
  readonly sinks: Sinks;
  readonly honest: HonestTenant;
  readonly short: boolean;
}

/** What an attack is prepared in. */
export interface Environment extends Scene {
  /** The attacker's address, beside the honest tenant's 127.0.0.1. Each attack has its own: an earlier one's is in debt. */
  readonly hostileAddress: string;
  /** The attacker's own tenant, as any customer has one. */
  newTenant(slug: string): Promise<Tenant>;
}

/** @param nth the position of the attack, from 0 */
export function createEnvironment(scene: Scene, nth: number): Environment {
  return { ...scene, hostileAddress: `127.0.1.${nth + 1}`, newTenant: (slug) => createTenant(scene.service, slug) };
}
