import type { Database } from "../server/src/db/database.ts";
import type { Environment } from "./environment.ts";

/** What an assault did: messages, connections or requests; none means that nothing was shown. */
export interface Done {
  readonly count: number;
  /** For the report. */
  readonly text: string;
}

export interface Run {
  readonly ended: AbortSignal;
  /** To be called when the attack is under way: measuring starts then. */
  begun(): void;
}

/** A hostile load. `attacks/` has one a file; `attacks/index.ts` lists them. */
// biome-ignore lint/suspicious/noExplicitAny: what one attack prepares is read by that attack alone
export interface Attack<Plan = any> {
  readonly name: string;
  /** What the attacker does, for the report. */
  readonly what: string;
  /** MB that the server may gain, where the attacker may have more than a hundred sockets open. */
  readonly memory?: number;
  /** Fills the database before the service starts, where the attacker has had months for it. */
  seed?(database: Database, env: { short: boolean }): Promise<void>;
  /** Sets up what the attacker may have: tenants, devices, rules. The plan is plain data: it goes to another thread. */
  prepare(env: Environment): Promise<Plan>;
  /** Attacks until `run.ended`, in a thread of its own. */
  assault(plan: Plan, run: Run): Promise<Done>;
  /** Promises beside those of every attack, checked while the attack goes on. @returns the broken ones */
  check?(env: Environment, plan: Plan): Promise<string[]>;
}
