import type { Limits } from "../lib/limits/limits.ts";

/** What one client may cost this process: the limits that the engine and the listener apply (docs/limits.md). */
export type BrokerLimits = Pick<
  Limits,
  | "mqttPacketBytes"
  | "mqttFirstPacketBytes"
  | "mqttMessagesPerSecond"
  | "mqttBytesPerSecond"
  | "mqttBytesPerSecondPerTenant"
  | "qos2InFlight"
  | "qos2Bytes"
  | "mqttUnsettledBytesPerSession"
  | "mqttUnsettledBytesPerTenant"
  | "mqttUnsettledBytes"
  | "mqttBacklogBytes"
  | "mqttBacklogBytesPerTenant"
  | "mqttBacklogBytesOfAll"
  | "mqttConnecting"
  | "mqttBusBytes"
  | "mqttOutgoingInFlight"
  | "mqtt5ReceiveMaximum"
  | "mqttSubscriptions"
  | "mqtt5Denied"
  | "mqtt5TopicAliases"
  | "mqttHandshakeSeconds"
  | "mqttConnectSeconds"
  | "mqttConnectionsPerAddress"
  | "mqttUnauthenticated"
  | "mqttConnections"
  | "mqttDrainedPerSecond"
  | "retainedCacheBytes"
  | "sessionExpirySeconds"
>;
