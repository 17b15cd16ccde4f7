import { CHARGES } from "./https.ts";
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
    reached: `${CLOSED}; MQTT 5: with 0x90 (topic name invalid) or 0x8F (topic filter invalid)`,
    fixed: true,
  },
  mqttTopicLevels: {
    level: "message",
    of: "levels of an MQTT topic or filter",
    value: 16,
    reached: `${CLOSED}; MQTT 5: with 0x90 (topic name invalid) or 0x8F (topic filter invalid)`,
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
    reached: `${CLOSED}; MQTT 5: with 0x97 (quota exceeded)`,
    fixed: true,
  },
  mqttUserProperties: {
    level: "message",
    of: "user properties of one MQTT 5 packet",
    value: 32,
    reached: "DISCONNECT 0x97 (quota exceeded)",
    fixed: true,
  },
  mqttUserPropertyBytes: {
    level: "message",
    of: "characters of all user properties of one MQTT 5 packet, names and values",
    value: 8 * 1024,
    reached: "DISCONNECT 0x97 (quota exceeded)",
    fixed: true,
  },
  mqttMessagesPerSecond: {
    level: "session",
    of: "MQTT messages per second, counting all packets except acknowledgements; a burst of one second's worth passes",
    value: 100,
    reached: "the socket is read more slowly; the session stays",
    variable: "MUSTER_MQTT_MESSAGES_PER_SECOND",
    zeroIsNone: true,
  },
  mqttBytesPerSecond: {
    level: "session",
    of: "bytes of MQTT packets per second; a burst of one second's worth passes",
    value: 512_000,
    reached: "the socket is read more slowly; the session stays",
  },
  qos2InFlight: {
    level: "session",
    of: "QoS 2 messages awaiting PUBREL; once a message is stored, only its packet id is kept",
    value: 20,
    reached: "further messages are held back, without PUBREC, until one is released",
  },
  qos2Bytes: {
    level: "session",
    of: "bytes of QoS 2 messages held back",
    value: 512 * 1024,
    reached: `${CLOSED}, also when its tenant or the process has used half of its bytes of unsettled messages`,
  },
  mqttUnsettledBytesPerSession: {
    level: "session",
    of: "bytes of MQTT messages read but neither stored nor refused yet, plus 4 KiB each",
    value: 512 * 1024,
    reached: "the socket is not read until one of them is stored or refused; the session stays",
  },
  mqtt5ReceiveMaximum: {
    level: "session",
    of: "unacknowledged QoS 1 and 2 messages from an MQTT 5 client: the receive maximum in its CONNACK",
    value: 64,
    reached: "DISCONNECT 0x93 (receive maximum exceeded)",
  },
  mqttSubscriptions: {
    level: "session",
    of: "topic filters that a client subscribes to, shared subscriptions included",
    value: 100,
    reached: "the filter is refused, with MQTT 5 by SUBACK 0x97 (quota exceeded)",
  },
  mqtt5TopicAliases: {
    level: "session",
    of: "topic aliases that an MQTT 5 client may set (the topic alias maximum in its CONNACK), and aliases sent to it, if it permits any",
    value: 10,
    reached: "DISCONNECT 0x94 (topic alias invalid); further topics are sent in full",
    fixed: true,
  },
  mqtt5Denied: {
    level: "session",
    of: "QoS 1 and 2 messages per minute on topics that an MQTT 5 client may not publish to, each refused in its acknowledgement",
    value: 20,
    reached: "DISCONNECT 0x87 (not authorized); a QoS 0 message is answered so immediately",
  },
  mqtt5KeepAliveSeconds: {
    level: "session",
    of: "seconds of an MQTT 5 client's keep alive",
    value: 3_600,
    reached: "the CONNACK sets this as the server keep alive, also for a client that asks for none",
    fixed: true,
  },
  mqtt5WillDelaySeconds: {
    level: "session",
    of: "seconds of an MQTT 5 client's will delay, but no longer than its session is stored",
    value: 3_600,
    reached: "the will is published at that time",
    fixed: true,
  },
  mqttOutgoingInFlight: {
    level: "session",
    of: "QoS 1 and 2 messages sent to a client and not acknowledged by it, at most 65,535",
    value: 1_000,
    reached: "further messages wait and count as bytes waiting to be sent",
  },
  mqttBacklogBytes: {
    level: "session",
    of: "bytes waiting to be sent to a client that does not read or acknowledge, plus 256 bytes for each queued message",
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
  presenceSeconds: {
    level: "device",
    of: "seconds between two connect events of a device",
    value: 10,
    reached: "changes in between are not recorded as events, except the last state",
  },
  retainedMessages: {
    level: "tenant",
    of: "retained messages, not counting expired ones",
    value: 10_000,
    reached:
      "a message on a new topic is delivered but not retained, with a journal entry; MQTT 5: acknowledged with 0x97 (quota exceeded)",
  },
  retainedBytes: {
    level: "tenant",
    of: "bytes of retained messages including topics and properties",
    value: 16 * 1024 * 1024,
    reached:
      "the message is delivered but not retained, with a journal entry; MQTT 5: acknowledged with 0x97 (quota exceeded)",
  },
  mqttUnsettledBytesPerTenant: {
    level: "tenant",
    of: "bytes of MQTT messages being read, or read but neither stored nor refused yet, plus 4 KiB for each of the latter, in each process",
    value: 16 * 1024 * 1024,
    reached: "the tenant's sockets are not read until one of them is stored or refused; the sessions stay",
  },
  mqttBytesPerSecondPerTenant: {
    level: "tenant",
    of: "bytes of MQTT packets per second, in each process; a burst of one second's worth passes",
    value: 16_000_000,
    reached: "the tenant's sockets are read more slowly, taking turns; the sessions stay",
  },
  mqttBacklogBytesPerTenant: {
    level: "tenant",
    of: "bytes waiting to be sent to clients of one tenant, in sessions with more than 4 KiB of them, in each process",
    value: 32 * 1024 * 1024,
    reached: "the session with the most of them is closed",
  },
  mqttSessionsPerTenant: {
    level: "tenant",
    of: "MQTT sessions of one tenant in each process; by default, as many as a process serves",
    value: 50_000,
    reached:
      "a client without a session is refused, with a journal entry: CONNACK 3 (server unavailable), MQTT 5: 0x97 (quota exceeded)",
  },
  mqttConnectionsPerAddress: {
    level: "address",
    of: "MQTT connections from one address block (IPv4 /32, IPv6 /64); addresses of trusted proxies are exempt",
    value: 10_000,
    reached: "the new connection is closed before the TLS handshake and counted",
  },
  mqttConnectsPerMinute: {
    level: "address",
    of: "CONNECTs in any 60 seconds from one address block, across all processes, which exchange their counts every second; trusted proxies are exempt",
    value: 30_000,
    reached:
      "CONNACK 3 (server unavailable), MQTT 5: 0x9F (connection rate exceeded), before the database is read, and it is counted",
    zeroIsNone: true,
  },
  mqttFailedConnections: {
    level: "address",
    of: `the budget of one address block, in each process, for MQTT connections that end without authenticating; each charges ${CHARGES.connection}; trusted proxies are exempt`,
    value: 3_000,
    reached: "new connections from the block are closed before the TLS handshake and counted",
    zeroIsNone: true,
  },
  mqttFailedConnectionsPerSecond: {
    level: "address",
    of: "the amount by which this budget is refilled per second",
    value: 100,
    reached: "as above",
  },
  mqttUnauthenticated: {
    level: "process",
    of: "MQTT connections that have not authenticated",
    value: 2_000,
    reached: "the oldest one from the address block with the most of them is closed",
  },
  mqttUnsettledBytes: {
    level: "process",
    of: "bytes of MQTT messages being read, or read but neither stored nor refused yet, plus 4 KiB for each of the latter",
    value: 128 * 1024 * 1024,
    reached: "the sockets of tenants that use more than the average are not read; the sessions stay",
  },
  mqttBacklogBytesOfAll: {
    level: "process",
    of: "bytes waiting to be sent to clients, in sessions with more than 4 KiB of them",
    value: 256 * 1024 * 1024,
    reached:
      "the session with the most of them, of the tenant with the most, is closed; until an eighth is free, each CONNECT gets CONNACK 3 (server unavailable), MQTT 5: 0x89 (server busy)",
  },
  mqttConnecting: {
    level: "process",
    of: "CONNECTs being authorized at once",
    value: 500,
    reached: "further ones wait in order, for as long as a client may take to connect",
  },
  retainedCacheBytes: {
    level: "process",
    of: "bytes of retained messages in memory, plus 512 for each",
    value: 64 * 1024 * 1024,
    reached:
      "the messages of the tenants whose clients subscribed least recently are evicted, and read from the database again when needed",
  },
  mqttDrainedPerSecond: {
    level: "process",
    of: "MQTT sessions ended per second when the process stops",
    value: 1_000,
    reached: "further sessions are served until their turn; the stop takes longer",
  },
  mqttConnections: {
    level: "process",
    of: "MQTT sessions of one process",
    value: 50_000,
    reached: "the oldest session from the address block with the most of them is closed",
  },
});
