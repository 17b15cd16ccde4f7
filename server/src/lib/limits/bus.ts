import { limitTable } from "./limit.ts";

/** MQTT messages between processes: how much may wait for the other side. */
export const bus = limitTable({
  mqttBusBytes: {
    level: "process",
    of: "bytes of MQTT messages waiting for another worker that does not read them; QoS 0 messages may use half of it",
    value: 16 * 1024 * 1024,
    reached: "further messages do not reach that worker's subscribers, and are counted by QoS",
  },
  natsBusBytes: {
    level: "process",
    of: "bytes of MQTT messages waiting for all other processes together, if NATS carries them; QoS 0 messages may use half of it",
    value: 64 * 1024 * 1024,
    reached: "further messages do not reach the subscribers of other processes, and are counted by QoS",
  },
});
