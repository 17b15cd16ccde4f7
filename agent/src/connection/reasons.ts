/** The MQTT versions that the agent speaks. */
export type MqttVersion = "5" | "3.1.1";

/** The meaning of the broker's codes (MQTT 5, 2.4), in words for the device's user. */
const REASONS: Readonly<Record<number, string>> = {
  4: "the broker has ended the session",
  128: "the broker gives no reason",
  129: "the broker could not read a packet",
  130: "a packet broke the rules of MQTT",
  131: "the broker does not accept it",
  132: "the broker does not speak this version of MQTT",
  133: "the client id is not the one of this certificate",
  134: "user name or password is wrong",
  135: "not authorized",
  136: "the broker cannot serve clients now",
  137: "the broker is busy",
  138: "this client is banned",
  139: "the broker is shutting down",
  140: "the broker does not know the authentication method",
  141: "the broker heard nothing from this device for too long",
  142: "another connection of this device has taken over the session",
  143: "the topic filter is not valid",
  144: "the topic is not valid",
  145: "the packet id is in use",
  146: "the packet id is unknown",
  147: "too many messages were unacknowledged at once",
  148: "the topic alias is not valid",
  149: "the packet is larger than the broker permits",
  150: "messages come too fast",
  151: "a quota is used up",
  152: "an administrator has ended the session, for example by revoking the certificate",
  153: "the payload is not in the format that the message names",
  154: "the broker does not retain messages",
  155: "the broker does not support this quality of service",
  156: "another server must be used for now",
  157: "the broker has moved",
  158: "shared subscriptions are not available",
  159: "connections come too fast",
  160: "the connection has reached its maximum duration",
  161: "subscription identifiers are not available",
  162: "wildcard subscriptions are not available",
};

/** The MQTT 5 reason code for each return code of an MQTT 3.1.1 CONNACK (3.2.2.3). */
const OF_3_1_1: Readonly<Record<number, number>> = { 1: 0x84, 2: 0x85, 3: 0x88, 4: 0x86, 5: 0x87 };

/**
 * Converts a CONNACK `code` to an MQTT 5 reason code: a broker without MQTT 5 answers even an MQTT 5 CONNECT with a
 * 3.1.1 code.
 */
export const connackReason = (code: number): number => OF_3_1_1[code] ?? code;

/**
 * Returns the reason code in words, with the broker's own reason string if it sent one: "not authorized (0x87): not on
 * the list".
 */
export function reasonText(code: number, reasonString?: string): string {
  const words = REASONS[code] ?? "a reason unknown to this agent";
  const own = reasonString === undefined || reasonString === "" ? "" : `: ${printable(reasonString)}`;
  return `${words} (0x${code.toString(16).toUpperCase().padStart(2, "0")})${own}`;
}

const LONGEST_TEXT = 300;

/** Makes a text from the broker fit for a log or a terminal by replacing control characters. */
export function printable(text: string): string {
  return text.slice(0, LONGEST_TEXT).replace(/\p{Cc}/gu, " ");
}

/** Codes that say that the broker accepts nothing now but may later. */
export const BUSY: ReadonlySet<number> = new Set([0x88, 0x89, 0x96, 0x97, 0x9f]);
/** Codes that refer to another server (MQTT 5, 4.11). */
export const REFERS: ReadonlySet<number> = new Set([0x9c, 0x9d]);
/**
 * Codes with which a broker ends a session because of a packet: resending that packet would end the next session as
 * well.
 */
export const BLAMES_PACKET: ReadonlySet<number> = new Set([0x81, 0x82, 0x87, 0x90, 0x95, 0x99, 0x9a, 0x9b]);

export const NOT_AUTHORIZED = 0x87;
export const UNSUPPORTED_VERSION = 0x84;
export const PROTOCOL_ERROR = 0x82;
export const TAKEN_OVER = 0x8e;
export const RECEIVE_MAXIMUM_EXCEEDED = 0x93;
export const ADMINISTRATIVE = 0x98;
export const PACKET_TOO_LARGE = 0x95;
export const RETAIN_NOT_SUPPORTED = 0x9a;
export const QOS_NOT_SUPPORTED = 0x9b;
/** Reports whether a code is a failure, which is 0x80 and above (MQTT 5, 2.4). */
export const isFailure = (code: number): boolean => code >= 0x80;
