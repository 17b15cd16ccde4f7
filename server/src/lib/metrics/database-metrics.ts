import { Gauge, type Registry } from "prom-client";

/** The connections of a pool. */
export interface PoolUse {
  used: number;
  idle: number;
  /** The number of requests that wait for a connection. */
  waiting: number;
}

/** The metrics of this process's connections to PostgreSQL. */
export interface DatabaseMetrics {
  /** `pool` is `main` or `connects` (authorizes MQTT connects); `state` is `used` or `idle`. */
  readonly databaseConnections: Gauge<"pool" | "state">;
  /** Requests that wait for a connection. */
  readonly databaseWaiting: Gauge<"pool">;
}

export function databaseMetrics(registers: Registry[]): DatabaseMetrics {
  return {
    databaseConnections: new Gauge({
      name: "muster_database_connections",
      help: "Connections of this process to PostgreSQL, by pool and state",
      labelNames: ["pool", "state"],
      registers,
    }),
    databaseWaiting: new Gauge({
      name: "muster_database_waiting",
      help: "Requests waiting for a connection to PostgreSQL, by pool",
      labelNames: ["pool"],
      registers,
    }),
  };
}

/** Sets the gauges of the pools. */
export function measurePools(metrics: DatabaseMetrics, pools: Readonly<Record<string, PoolUse>>): void {
  for (const [pool, { used, idle, waiting }] of Object.entries(pools)) {
    metrics.databaseConnections.set({ pool, state: "used" }, used);
    metrics.databaseConnections.set({ pool, state: "idle" }, idle);
    metrics.databaseWaiting.set({ pool }, waiting);
  }
}
