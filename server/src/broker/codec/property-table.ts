/** Packets that carry MQTT 5 properties; a will's properties are inside the CONNECT. */
export type PropertyHolder =
  | "connect"
  | "will"
  | "connack"
  | "publish"
  | "acknowledgement"
  | "subscribe"
  | "suback"
  | "unsubscribe"
  | "disconnect";

/** The encoding of a value (MQTT 5, 1.5); a bit is a byte that is 0 or 1. */
export type PropertyType = "bit" | "byte" | "uint16" | "uint32" | "varint" | "text" | "binary" | "pair";

export interface Properties {
  payloadFormat?: number;
  /** Seconds. */
  messageExpiry?: number;
  contentType?: string;
  responseTopic?: string;
  correlationData?: Buffer;
  subscriptionId?: number;
  /** Seconds. */
  sessionExpiry?: number;
  assignedClientId?: string;
  /** Seconds. */
  serverKeepAlive?: number;
  authMethod?: string;
  authData?: Buffer;
  requestProblem?: number;
  /** Seconds. */
  willDelay?: number;
  requestResponse?: number;
  responseInformation?: string;
  serverReference?: string;
  reasonString?: string;
  receiveMaximum?: number;
  topicAliasMaximum?: number;
  topicAlias?: number;
  maximumQos?: number;
  retainAvailable?: number;
  /** Names may repeat; their order is significant. */
  userProperties?: [name: string, value: string][];
  /** Bytes. */
  maximumPacketSize?: number;
  wildcardsAvailable?: number;
  subscriptionIdsAvailable?: number;
  sharedAvailable?: number;
}

export interface PropertyRule {
  id: number;
  name: keyof Properties;
  type: PropertyType;
  on: readonly PropertyHolder[];
  /** A value of 0 is a protocol error. */
  notZero?: true;
}

const MESSAGE = ["publish", "will"] as const;
const EVERY = ["suback", "unsubscribe", "subscribe", "acknowledgement", "disconnect", "connect", "connack"] as const;

/**
 * MQTT 5, 2.2.2.2, without AUTH and without Response Information in a CONNACK, which we do not support. Properties are
 * sent in this order: outside suites compare the bytes of a CONNACK with the three limits.
 */
export const PROPERTY_RULES: readonly PropertyRule[] = [
  { id: 0x01, name: "payloadFormat", type: "bit", on: MESSAGE },
  { id: 0x02, name: "messageExpiry", type: "uint32", on: MESSAGE },
  { id: 0x03, name: "contentType", type: "text", on: MESSAGE },
  { id: 0x08, name: "responseTopic", type: "text", on: MESSAGE },
  { id: 0x09, name: "correlationData", type: "binary", on: MESSAGE },
  { id: 0x0b, name: "subscriptionId", type: "varint", on: ["publish", "subscribe"], notZero: true },
  { id: 0x11, name: "sessionExpiry", type: "uint32", on: ["connect", "connack", "disconnect"] },
  { id: 0x12, name: "assignedClientId", type: "text", on: ["connack"] },
  { id: 0x13, name: "serverKeepAlive", type: "uint16", on: ["connack"] },
  { id: 0x15, name: "authMethod", type: "text", on: ["connect", "connack"] },
  { id: 0x16, name: "authData", type: "binary", on: ["connect", "connack"] },
  { id: 0x17, name: "requestProblem", type: "bit", on: ["connect"] },
  { id: 0x18, name: "willDelay", type: "uint32", on: ["will"] },
  { id: 0x19, name: "requestResponse", type: "bit", on: ["connect"] },
  { id: 0x1a, name: "responseInformation", type: "text", on: [] },
  { id: 0x1c, name: "serverReference", type: "text", on: ["connack", "disconnect"] },
  { id: 0x1f, name: "reasonString", type: "text", on: ["connack", "acknowledgement", "suback", "disconnect"] },
  { id: 0x22, name: "topicAliasMaximum", type: "uint16", on: ["connect", "connack"] },
  { id: 0x27, name: "maximumPacketSize", type: "uint32", on: ["connect", "connack"], notZero: true },
  { id: 0x21, name: "receiveMaximum", type: "uint16", on: ["connect", "connack"], notZero: true },
  { id: 0x23, name: "topicAlias", type: "uint16", on: ["publish"] },
  { id: 0x24, name: "maximumQos", type: "bit", on: ["connack"] },
  { id: 0x25, name: "retainAvailable", type: "bit", on: ["connack"] },
  { id: 0x26, name: "userProperties", type: "pair", on: [...MESSAGE, ...EVERY] },
  { id: 0x28, name: "wildcardsAvailable", type: "bit", on: ["connack"] },
  { id: 0x29, name: "subscriptionIdsAvailable", type: "bit", on: ["connack"] },
  { id: 0x2a, name: "sharedAvailable", type: "bit", on: ["connack"] },
];
