import { Counter, Gauge, type Registry } from "prom-client";

/** Of the bus, which carries MQTT messages between processes. */
export interface BusMetrics {
  /** MQTT messages that this worker has sent to others. */
  readonly busMessages: Counter<"direction">;
  /** Processes with which this one exchanges MQTT messages. */
  readonly busPeers: Gauge;
  /** Whether there is a connection that carries MQTT messages between machines; no value where there is none to be. */
  readonly busConnected: Gauge<"bus">;
  /** MQTT messages that were not sent to another worker, as too much waits for it. */
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
      help: "Whether the connection to NATS is open, where one is set",
      labelNames: ["bus"],
      registers,
    }),
    busDropped: new Counter({
      name: "muster_bus_dropped_total",
      help: "MQTT messages that were not sent to another worker because too much waits for it or it has ended, by QoS",
      labelNames: ["qos"],
      registers,
    }),
  };
}
