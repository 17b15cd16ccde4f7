import type { Figures } from "./honest/measure.ts";

/**
 * What the honest tenant is promised while another tenant, a device or an unauthenticated client attacks. Times in milliseconds. Where the figure
 * without the attack is small, twice of it is within the noise of two cores that the load shares with the server: below the floor
 * the ratio does not decide.
 */
export interface Promises {
  readonly acknowledgementRatio: number;
  readonly acknowledgementFloor: number;
  readonly laterPage: number;
  readonly laterWebhook: number;
  readonly healthz: number;
  /** How much longer than without the attack the event loop may serve nothing. */
  readonly loop: number;
  /** MB that the server may gain. */
  readonly memory: number;
}

export const PROMISES: Promises = {
  acknowledgementRatio: 2,
  acknowledgementFloor: 100,
  laterPage: 10_000,
  laterWebhook: 10_000,
  healthz: 500,
  loop: 50,
  memory: 100,
};

/**
 * For phases of a few seconds on a machine that may be busy with other work: seen with a load of 11 on two cores were 1.6 s, 0.6 s and 0.6 s.
 * They find what is broken by an order of magnitude.
 */
export const SHORT_PROMISES: Promises = {
  ...PROMISES,
  acknowledgementFloor: 5_000,
  healthz: 5_000,
  loop: 3_000,
  memory: 200,
};

/** @returns a line for each promise that is broken */
export function brokenPromises(promises: Promises, without: Figures, under: Figures): string[] {
  const most = Math.max(promises.acknowledgementRatio * without.acknowledgementP99, promises.acknowledgementFloor);
  const limits: [what: string, value: number, limit: number, unit: string][] = [
    ["acknowledgement p99", under.acknowledgementP99, most, "ms"],
    ["page", under.page, without.page + promises.laterPage, "ms"],
    ["webhook", under.webhook, without.webhook + promises.laterWebhook, "ms"],
    ["/healthz", under.healthz, promises.healthz, "ms"],
    ["event loop blocked", under.loop, without.loop + promises.loop, "ms"],
    ["memory gained", under.memory, promises.memory, "MB"],
  ];
  const exceeded = limits
    .filter(([, value, limit]) => !(value <= limit))
    .map(([what, value, limit, unit]) => `${what}: ${Math.round(value)} ${unit}, at most ${Math.round(limit)}`);
  const [first] = under.failures;
  return first === undefined
    ? exceeded
    : [...exceeded, `${under.failures.length} requests or connections failed: ${first}`];
}
