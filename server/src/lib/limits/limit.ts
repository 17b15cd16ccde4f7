/** Whose use a limit bounds. */
export type Level = "request" | "record" | "message" | "session" | "device" | "tenant" | "address" | "process";

/** A cap on what an unauthenticated client, a device or a tenant can make grow or wait. `docs/limits.tsv` lists every one. */
export interface Limit {
  readonly level: Level;
  /** What is counted, with its unit: "readings in one message", "bytes of one packet". */
  readonly of: string;
  readonly value: number;
  /** What happens when the limit is reached: an error code, a rejection with its reason, a metric. */
  readonly reached: string;
  /** Not a setting: the protocol, the specification or the schema fixes it. */
  readonly fixed?: true;
  /** The environment variable, where it is not `MUSTER_LIMIT_` with the limit's name. */
  readonly variable?: string;
  /** The variable may be 0, for no limit: then the value in force is `Infinity`. */
  readonly zeroIsNone?: true;
}

/** Keeps the names of a table of limits, and checks each entry. */
export function limitTable<Name extends string>(table: Record<Name, Limit>): Readonly<Record<Name, Limit>> {
  return table;
}
