import { limitTable } from "./limit.ts";

/** MQTT: what one session, address or tenant may cost the broker. */
export const broker = limitTable({
  qos2InFlight: {
    level: "session",
    of: "QoS 2 messages that wait for PUBREL",
    value: 20,
    reached: "the session is closed (MQTT 5: reason 0x93, receive maximum exceeded)",
  },
  mqttConnectionsPerAddress: {
    level: "address",
    of: "MQTT connections from one address block (IPv4 /32, IPv6 /64)",
    value: 10_000,
    reached: "the connection is closed before the TLS handshake and counted",
  },
  mqttConnections: {
    level: "process",
    of: "MQTT connections of one process",
    value: 50_000,
    reached: "a connection of the address block with most of them is closed",
  },
  presenceSeconds: {
    level: "device",
    of: "seconds between two recorded pairs of connect and disconnect events of a device",
    value: 10,
    reached: "changes in between are not recorded; the last state always is",
  },
  retainedMessages: {
    level: "tenant",
    of: "retained messages",
    value: 10_000,
    reached: "a retained message on a new topic is refused with a journal entry",
  },
  refusalsPerAddress: {
    level: "address",
    of: "journal entries a minute for one address and reason",
    value: 10,
    reached: "further refusals add to the count of the last entry",
  },
});
