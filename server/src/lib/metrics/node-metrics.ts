import { Counter, Gauge, type Registry } from "prom-client";

/** The metrics of this process as a broker node on a database. */
export interface NodeMetrics {
  /**
   * Broker nodes of all services on the database; `state` is `running`, `draining` or `silent`, `part` the role of the
   * process: `jobs` accepts no MQTT connections, `serve` and `all` do.
   */
  readonly nodes: Gauge<"state" | "part">;
  /** Seconds without a heartbeat after which other nodes reap this one. */
  readonly leaseSeconds: Gauge;
  /** Seconds since the last heartbeat of this process that the database stored. */
  readonly heartbeatAge: Gauge;
  /** Always 1, labelled with the version of this process. */
  readonly buildInfo: Gauge<"version">;
  /**
   * The number of times that this process has ended its sessions because the database stored no heartbeat from it in
   * time.
   */
  readonly leasesEnded: Counter;
}

export function nodeMetrics(registers: Registry[]): NodeMetrics {
  return {
    nodes: new Gauge({
      name: "muster_nodes",
      aggregator: "max",
      help: "Broker nodes of all services on the database, by state and role",
      labelNames: ["state", "part"],
      registers,
    }),
    leaseSeconds: new Gauge({
      name: "muster_node_lease_seconds",
      aggregator: "max",
      help: "Time without a heartbeat after which other nodes reap this one; it ends its sessions after four fifths of it",
      registers,
    }),
    heartbeatAge: new Gauge({
      name: "muster_node_heartbeat_age_seconds",
      aggregator: "max",
      help: "Time since the last heartbeat of this node that the database stored",
      registers,
    }),
    buildInfo: new Gauge({
      name: "muster_build_info",
      aggregator: "max",
      help: "Always 1, labelled with the version of the service",
      labelNames: ["version"],
      registers,
    }),
    leasesEnded: new Counter({
      name: "muster_node_leases_ended_total",
      help: "Times that this node has ended its sessions because the database stored no heartbeat from it in time",
      registers,
    }),
  };
}
