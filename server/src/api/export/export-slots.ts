import { type Caller, keyOf, sessionIdOf } from "../../access/access.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import { Refusal } from "../problem.ts";

/** The time after which a slot is probably free: most exports take seconds. */
const RETRY_SECONDS = 5;

type Most = Pick<Limits, "exports" | "exportsOfTenant" | "exportsOfSession">;

/** Counts the exports running in this process: per session or key, per tenant, and in total. */
export class ExportSlots {
  readonly #limits: Most;
  readonly #running = new Map<string, number>();

  constructor(limits: Most) {
    this.#limits = limits;
  }

  /** Takes a slot. @returns a function that releases it. @throws Refusal rate_limited */
  take(caller: Caller): () => void {
    const { exports, exportsOfTenant, exportsOfSession } = this.#limits;
    const sessionId = sessionIdOf(caller);
    const holder = sessionId === undefined ? `key ${keyOf(caller).keyId}` : `session ${sessionId}`;
    const tenant = `tenant ${caller.tenantId}`;
    this.#require(holder, exportsOfSession, "a session or key runs one export at a time: wait for the present one");
    this.#require(tenant, exportsOfTenant, `at most ${exportsOfTenant} exports of a tenant run at a time`);
    this.#require("all", exports, "too many exports are running");
    const names = [holder, tenant, "all"];
    for (const name of names) this.#running.set(name, this.#count(name) + 1);
    return () => {
      for (const name of names.splice(0)) this.#leave(name);
    };
  }

  #require(name: string, most: number, message: string): void {
    if (this.#count(name) < most) return;
    throw new Refusal("rate_limited", message, { extra: { retryAfterSeconds: RETRY_SECONDS } });
  }

  #count(name: string): number {
    return this.#running.get(name) ?? 0;
  }

  #leave(name: string): void {
    const left = this.#count(name) - 1;
    if (left > 0) this.#running.set(name, left);
    else this.#running.delete(name);
  }
}
