import type { HttpsTarget } from "../load/https-client.ts";
import { createTenant, type Tenant } from "../load/tenant.ts";
import type { Database } from "../server/src/db/database.ts";
import type { Sinks } from "../server/test/harness/http/sinks.ts";
import type { HonestTenant } from "./honest/honest-tenant.ts";
import type { Service } from "./service.ts";

/** The running service and its honest tenant. */
export interface Scene {
  readonly service: Service;
  readonly sinks: Sinks;
  readonly honest: HonestTenant;
  readonly short: boolean;
}

/** The scene of one attack. */
export interface Environment extends Scene {
  /** The attacker's address; the honest tenant's is 127.0.0.1. Each attack has its own: an earlier one's is in debt. */
  readonly hostileAddress: string;
  /** The HTTPS listener from the attacker's address. */
  readonly https: HttpsTarget;
  /** Creates a tenant for the attacker, as any customer has one. */
  newTenant(slug: string): Promise<Tenant>;
}

/** @param nth the position of the attack, from 0 */
export function createEnvironment(scene: Scene, nth: number): Environment {
  const hostileAddress = `127.0.1.${nth + 1}`;
  const https = { ...scene.service.https, localAddress: hostileAddress };
  return { ...scene, hostileAddress, https, newTenant: (slug) => createTenant(scene.service, slug) };
}

/** The result of an assault: a count of messages, connections or requests; 0 means that nothing was shown. */
export interface Done {
  readonly count: number;
  /** For the report. */
  readonly text: string;
}

export interface Run {
  readonly ended: AbortSignal;
  /** Reports that the attack is under way: the phase that is measured starts then. */
  begun(): void;
}

/** The message of an assault's process when it is under way; the next message is its {@link Done}. */
export const BEGUN = "begun";

/** A hostile load. `attacks/index.ts` lists them. */
// biome-ignore lint/suspicious/noExplicitAny: what one attack prepares is read by that attack alone
export interface Attack<Plan = any> {
  readonly name: string;
  /** For the report. */
  readonly what: string;
  /** The MB that the server may gain, where the attacker may have more than a hundred sockets open. */
  readonly memory?: number;
  /** Fills the database before the service starts, where the attacker has had months for it. */
  seed?(database: Database, env: { short: boolean }): Promise<void>;
  /** Sets up what the attacker may have: tenants, devices, rules. The plan is plain data, for another process. */
  prepare(env: Environment): Promise<Plan>;
  /** Attacks until `run.ended`, in a process of its own. */
  assault(plan: Plan, run: Run): Promise<Done>;
  /** Checks more promises than those of every attack, while the attack goes on. @returns the broken ones */
  check?(env: Environment, plan: Plan): Promise<string[]>;
}
