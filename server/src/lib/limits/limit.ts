/** The scope that a limit applies to. */
export type Level = "request" | "record" | "message" | "session" | "device" | "tenant" | "address" | "process";

/**
 * A cap on what an unauthenticated client, a device or a tenant can make grow or wait. `docs/limits.tsv` lists all of
 * them.
 */
export interface Limit {
  readonly level: Level;
  /** The counted quantity with its unit: "readings in one message", "bytes of one packet". */
  readonly of: string;
  readonly value: number;
  /** The effect of reaching the limit: an error code, a rejection with its reason, a metric. */
  readonly reached: string;
  /** Set if the protocol, the specification or the schema fixes the value, so that it is not a setting. */
  readonly fixed?: true;
  /** The environment variable, if it is not `MUSTER_LIMIT_` plus the limit's name. */
  readonly variable?: string;
  /** Set if the variable may be 0 for no limit; the effective value is then `Infinity`. */
  readonly zeroIsNone?: true;
}

/** Returns the table unchanged; the signature keeps the names and checks each entry. */
export function limitTable<Name extends string>(table: Record<Name, Limit>): Readonly<Record<Name, Limit>> {
  return table;
}
