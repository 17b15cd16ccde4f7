import { Counter, Gauge, type Registry } from "prom-client";

/** The metrics of the bus, which carries MQTT messages between processes. */
export interface BusMetrics {
  /** MQTT messages sent to other workers. */
  readonly busMessages: Counter<"direction">;
  /** Processes with which this one exchanges MQTT messages. */
  readonly busPeers: Gauge;
  /** Whether the connection that carries MQTT messages between machines is open; no value if none is configured. */
  readonly busConnected: Gauge<"bus">;
  /** MQTT messages not sent to another worker because too much is waiting for it. */
  readonly busDropped: Counter<"qos">;
}

export function busMetrics(registers: Registry[]): BusMetrics {
  return {
    busMessages: new Counter({
      name: "muster_bus_messages_total",
      help: "MQTT messages that workers have sent to each other, by direction",
      labelNames: ["direction"],
      registers,
    }),
    busPeers: new Gauge({
      name: "muster_bus_peers",
      aggregator: "max",
      help: "Processes with which a process exchanges MQTT messages",
      registers,
    }),
    busConnected: new Gauge({
      name: "muster_bus_connected",
      aggregator: "min",
      help: "Whether the connection to NATS is open, if one is configured",
      labelNames: ["bus"],
      registers,
    }),
    busDropped: new Counter({
      name: "muster_bus_dropped_total",
      help: "MQTT messages not sent to another worker because too much is waiting for it or it has ended, by QoS",
      labelNames: ["qos"],
      registers,
    }),
  };
}
