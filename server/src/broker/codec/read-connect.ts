import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import type { ProtocolVersion } from "../policy/answers.ts";
import { Cursor, type Frame } from "./cursor.ts";
import { PacketProblem } from "./problem.ts";
import type { Properties } from "./property-table.ts";
import { readProperties } from "./read-properties.ts";
import { checkTopicName, MAX_TOPIC_BYTES } from "./topics.ts";

export interface Will {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
  /** Only with MQTT 5. */
  properties?: Properties;
}

export interface ConnectPacket {
  version: ProtocolVersion;
  clientId: string;
  /** The flag `clean session` (`clean start` in MQTT 5). */
  clean: boolean;
  /** Seconds; 0 turns it off. */
  keepAlive: number;
  /** Only with MQTT 5. */
  properties: Properties | undefined;
  will: Will | undefined;
  username: string | undefined;
  password: Buffer | undefined;
}

const FLAG = {
  reserved: 0x01,
  clean: 0x02,
  will: 0x04,
  willQos: 0x18,
  willRetain: 0x20,
  password: 0x40,
  username: 0x80,
} as const;

const MAX_NAME = 6;

/** The rules for client ids. */
export interface ClientIdRules {
  /** Bytes. */
  max: number;
  /** The maximum with MQTT 3.1. */
  max31: number;
  /** Creates an id for a client without one [MQTT-3.1.3-6]; if absent, no id is assigned. */
  assign?: () => string;
}

/** 23 bytes are MQTT 3.1's own limit. */
export const CLIENT_IDS: ClientIdRules = { max: DEFAULT_LIMITS.mqttClientIdBytes, max31: 23 };
const MAX_WILL = 0xffff;

/** Returns the protocol level that a CONNECT asks for, which decides how it is answered. @throws {PacketProblem} */
export function versionOf(frame: Frame): ProtocolVersion {
  return readVersion(new Cursor(frame));
}

/** Reads a CONNECT (MQTT 3.1.1 and 5, 3.1). @throws {PacketProblem} */
export function readConnect(frame: Frame, clientIds: ClientIdRules = CLIENT_IDS): ConnectPacket {
  const cursor = new Cursor(frame);
  const version = readVersion(cursor);
  const flags = cursor.byte();
  closingIn5(version, () => checkFlags(flags, frame, version));
  const keepAlive = cursor.uint16();
  const properties = version === 5 ? readConnectProperties(cursor) : undefined;
  const isClean = (flags & FLAG.clean) !== 0;
  const clientId = readClientId(cursor, version, isClean, clientIds);
  const will = (flags & FLAG.will) === 0 ? undefined : readWill(cursor, flags, version);
  const { username, password } = closingIn5(version, () => readCredentials(cursor, flags));
  if (!cursor.isAtEnd) throw new PacketProblem("bytes after the CONNECT");
  return { version, clientId, clean: isClean, keepAlive, properties, will, username, password };
}

function readCredentials(cursor: Cursor, flags: number): Pick<ConnectPacket, "username" | "password"> {
  const username =
    (flags & FLAG.username) === 0 ? undefined : cursor.text(DEFAULT_LIMITS.mqttUsernameBytes, "user name");
  const password =
    (flags & FLAG.password) === 0 ? undefined : cursor.binary(DEFAULT_LIMITS.mqttPasswordBytes, "password");
  return { username, password };
}

/** Closes the connection without an answer for bad flags and credentials, in MQTT 5 too, as other brokers do. */
function closingIn5<T>(version: ProtocolVersion, read: () => T): T {
  try {
    return read();
  } catch (problem) {
    if (version < 5 || !(problem instanceof PacketProblem)) throw problem;
    throw new PacketProblem(problem.message, "unanswered");
  }
}

/**
 * Reads name and level. An unsupported level is answered with a return code [MQTT-3.1.2-2] (3 or 4 under the wrong name
 * with MQTT 3.1.1's), an unknown name not at all [MQTT-3.1.2-1].
 */
function readVersion(cursor: Cursor): ProtocolVersion {
  const name = cursor.text(MAX_NAME, "protocol name");
  const level = cursor.byte();
  if (name === "MQTT" && (level === 4 || level === 5)) return level;
  if (name === "MQIsdp" && level === 3) return 3;
  if (name === "MQTT" || name === "MQIsdp") {
    throw new PacketProblem("protocol level", level === 3 || level === 4 ? "unsupported_version" : "unknown_version");
  }
  throw new PacketProblem("protocol name");
}

/** [MQTT-3.1.2-3], [MQTT-3.1.2-13] to [MQTT-3.1.2-15], [MQTT-3.1.2-22]; MQTT 5 dropped the last. */
function checkFlags(flags: number, { first }: Frame, version: ProtocolVersion): void {
  // MQTT 3.1 does not use these flags.
  const mayHaveReserved = version === 3;
  if (!mayHaveReserved && (first & 15) !== 0) throw new PacketProblem("reserved flags");
  if (!mayHaveReserved && (flags & FLAG.reserved) !== 0) throw new PacketProblem("the reserved CONNECT flag");
  const hasWill = (flags & FLAG.will) !== 0;
  const willFlags = flags & (FLAG.willQos | FLAG.willRetain);
  if ((flags & FLAG.willQos) === FLAG.willQos || (!hasWill && willFlags !== 0)) throw new PacketProblem("will flags");
  if (version < 5 && (flags & FLAG.password) !== 0 && (flags & FLAG.username) === 0) {
    throw new PacketProblem("a password without a user name");
  }
}

/**
 * Reads the client id. An empty one is refused if none is assigned; MQTT 3.1.1 also refuses it without a clean session
 * [MQTT-3.1.3-8].
 */
function readClientId(
  cursor: Cursor,
  version: ProtocolVersion,
  isClean: boolean,
  { max, max31, assign }: ClientIdRules,
): string {
  const length = cursor.nextLength();
  const isAssigned = assign !== undefined && version > 3 && (isClean || version === 5);
  if (length === 0 && !isAssigned) throw new PacketProblem("an empty client id", "identifier_rejected");
  if (length > (version === 3 ? max31 : max)) throw new PacketProblem("a long client id", "identifier_rejected");
  try {
    return cursor.text(max, "client id");
  } catch (problem) {
    if (version < 5 || !(problem instanceof PacketProblem)) throw problem;
    throw new PacketProblem(problem.message, "identifier_rejected");
  }
}

/** Refuses enhanced authentication, which is not supported [MQTT-4.12.0-1]. */
function readConnectProperties(cursor: Cursor): Properties {
  const properties = readProperties(cursor, "connect");
  if (properties.authMethod !== undefined) {
    throw new PacketProblem("an authentication method", "bad_authentication_method");
  }
  if (properties.authData) throw new PacketProblem("authentication data without a method", "protocol_error");
  return properties;
}

function readWill(cursor: Cursor, flags: number, version: ProtocolVersion): Will {
  const properties = version === 5 ? readProperties(cursor, "will") : undefined;
  const topic = cursor.text(MAX_TOPIC_BYTES, "will topic", "topic_name_invalid");
  checkTopicName(topic);
  // A copy: the will lasts as long as the session and must not retain the packet's memory.
  const payload = Buffer.from(cursor.binary(MAX_WILL, "will"));
  const qos = ((flags & FLAG.willQos) >> 3) as Will["qos"];
  const will: Will = { topic, payload, qos, retain: (flags & FLAG.willRetain) !== 0 };
  return properties ? { ...will, properties } : will;
}
