import { broker } from "./broker.ts";
import { bus } from "./bus.ts";
import { https } from "./https.ts";
import { ingest } from "./ingest.ts";
import type { Limit } from "./limit.ts";
import { notifications } from "./notifications.ts";
import { people } from "./people.ts";
import { quotas } from "./quotas.ts";
import { records } from "./records.ts";
import { refusals } from "./refusals.ts";
import { stored } from "./stored.ts";
import { stream } from "./stream.ts";
import { tls } from "./tls.ts";

/** Every limit, in the order of `docs/limits.tsv`. */
export const LIMITS = {
  ...ingest,
  ...broker,
  ...bus,
  ...stream,
  ...refusals,
  ...stored,
  ...tls,
  ...https,
  ...notifications,
  ...people,
  ...records,
  ...quotas,
};

export type LimitName = keyof typeof LIMITS;
/** The effective limits of this process. */
export type Limits = Readonly<Record<LimitName, number>>;
/** The name of a tenant quota; `muster tenant quota` overrides its value for one tenant. */
export type QuotaName = keyof typeof quotas;
export const QUOTA_NAMES = Object.keys(quotas) as QuotaName[];

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries<Limit>(LIMITS).map(([name, { value }]) => [name, value]),
) as Limits;

/**
 * Returns a limit's environment variable, such as `MUSTER_LIMIT_READINGS_PER_MESSAGE`; `undefined` for a fixed limit.
 */
export function limitVariable(name: LimitName): string | undefined {
  const limit: Limit = LIMITS[name];
  if (limit.fixed) return undefined;
  return limit.variable ?? `MUSTER_LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
