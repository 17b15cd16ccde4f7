import { limitTable } from "./limit.ts";

/** MQTT messages on their way between processes: what may wait for others. */
export const bus = limitTable({
  mqttBusBytes: {
    level: "process",
    of: "bytes of MQTT messages that wait for another worker which does not read them; those of QoS 0 have half of it",
    value: 16 * 1024 * 1024,
    reached: "further messages do not reach the subscribers of that worker, and are counted by QoS",
  },
  natsBusBytes: {
    level: "process",
    of: "bytes of MQTT messages that wait for all other processes together, where NATS carries them; those of QoS 0 have half of it",
    value: 64 * 1024 * 1024,
    reached: "further messages do not get to the subscribers of other processes, and are counted by QoS",
  },
});
