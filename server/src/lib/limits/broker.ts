import { limitTable } from "./limit.ts";

const CLOSED = "the connection is closed";

/** MQTT: what one packet, session, device, tenant or address may cost the broker. */
export const broker = limitTable({
  mqttPacketBytes: {
    level: "message",
    of: "bytes of one MQTT packet",
    value: 256 * 1024,
    reached: "the connection is closed as soon as the packet's header has arrived",
  },
  mqttFirstPacketBytes: {
    level: "message",
    of: "bytes of one MQTT packet of a client that has not authenticated",
    value: 64 * 1024,
    reached: "the connection is closed as soon as the packet's header has arrived",
  },
  mqttTopicBytes: {
    level: "message",
    of: "bytes of an MQTT topic or filter",
    value: 256,
    reached: CLOSED,
    fixed: true,
  },
  mqttClientIdBytes: {
    level: "message",
    of: "bytes of an MQTT client id; 23 with MQTT 3.1",
    value: 64,
    reached: "CONNACK 2 (identifier rejected)",
    fixed: true,
  },
  mqttUsernameBytes: { level: "message", of: "bytes of an MQTT user name", value: 256, reached: CLOSED, fixed: true },
  mqttPasswordBytes: { level: "message", of: "bytes of an MQTT password", value: 1024, reached: CLOSED, fixed: true },
  mqttFilters: {
    level: "message",
    of: "topic filters of one SUBSCRIBE or UNSUBSCRIBE",
    value: 100,
    reached: CLOSED,
    fixed: true,
  },
  mqttMessagesPerSecond: {
    level: "session",
    of: "MQTT messages a second, counting all packets but acknowledgements; a burst of one second's worth passes",
    value: 100,
    reached: "the socket is read no faster; the session stays",
    variable: "MUSTER_MQTT_MESSAGES_PER_SECOND",
    zeroIsNone: true,
  },
  mqttBytesPerSecond: {
    level: "session",
    of: "bytes a second of MQTT packets; a burst of one second's worth passes",
    value: 512_000,
    reached: "the socket is read no faster; the session stays",
  },
  qos2InFlight: {
    level: "session",
    of: "QoS 2 messages that wait for PUBREL",
    value: 20,
    reached: "further ones are held back, without PUBREC, until one is released",
  },
  qos2Bytes: {
    level: "session",
    of: "bytes of QoS 2 messages that wait for PUBREL or are held back",
    value: 512 * 1024,
    reached: CLOSED,
  },
  mqttBacklogBytes: {
    level: "session",
    of: "bytes that wait to be sent to a client that does not read",
    value: 4 * 1024 * 1024,
    reached: CLOSED,
  },
  mqttHandshakeSeconds: {
    level: "session",
    of: "seconds for the TLS handshake of an MQTT client",
    value: 10,
    reached: CLOSED,
  },
  mqttConnectSeconds: {
    level: "session",
    of: "seconds from the TLS handshake to an accepted CONNECT",
    value: 10,
    reached: CLOSED,
  },
  refusedTopics: {
    level: "session",
    of: "forbidden topics and filters that are recorded of one session, each once",
    value: 20,
    reached: "further refusals are counted in the metric only",
    fixed: true,
  },
  presenceSeconds: {
    level: "device",
    of: "seconds between two connect events of a device",
    value: 10,
    reached: "changes in between are not recorded as events; the last state always is",
  },
  retainedMessages: {
    level: "tenant",
    of: "retained messages, in each process",
    value: 10_000,
    reached: "a message on a new topic is delivered and not retained, with a journal entry",
  },
  retainedBytes: {
    level: "tenant",
    of: "bytes of retained messages with their topics, in each process",
    value: 16 * 1024 * 1024,
    reached: "the message is delivered and not retained, with a journal entry",
  },
  refusalEntries: {
    level: "tenant",
    of: "entries of the refusal journal, none older than 30 days; refusals that concern no tenant are one journal more",
    value: 1_000,
    reached: "the oldest are deleted",
  },
  mqttConnectionsPerAddress: {
    level: "address",
    of: "MQTT connections from one address block (IPv4 /32, IPv6 /64); addresses of trusted proxies are exempt",
    value: 10_000,
    reached: "the new connection is closed before the TLS handshake and counted",
  },
  refusalsPerAddress: {
    level: "address",
    of: "journal entries a minute for one tenant, address block and reason",
    value: 20,
    reached: "further refusals add to the count of the last entry",
  },
  mqttUnauthenticated: {
    level: "process",
    of: "MQTT connections that have not authenticated",
    value: 2_000,
    reached: "the oldest of the address block with most of them is closed",
  },
  mqttConnections: {
    level: "process",
    of: "MQTT sessions of one process",
    value: 50_000,
    reached: "the oldest session of the address block with most of them is closed",
  },
});
