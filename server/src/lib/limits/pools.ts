/** The sizes of a process's connection pools for PostgreSQL. One more connection listens for notifications. */
export interface Pools {
  readonly main: number;
  /** Connections for storing telemetry. */
  readonly ingest: number;
  /** Connections for authorizing MQTT connects. */
  readonly connects: number;
  /** The number that all processes of the service open together; startup fails if PostgreSQL has fewer. */
  readonly needed?: number | undefined;
}

/**
 * The pools of a service with one process, and of a command that opens the database itself. `process/part.ts` has those
 * of a service with workers.
 */
export const DEFAULT_POOLS: Pools = { main: 8, ingest: 6, connects: 4 };
