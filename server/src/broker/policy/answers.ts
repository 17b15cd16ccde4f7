/** The protocol level of a CONNECT: 3 is MQTT 3.1, 4 is MQTT 3.1.1. */
export type ProtocolVersion = 3 | 4 | 5;

/** A problem with a packet, or the reason for refusing a CONNECT. */
export type ProtocolProblem =
  | "unsupported_version"
  | "unknown_version"
  | "unanswered"
  | "malformed_packet"
  | "protocol_error"
  | "packet_too_large"
  | "topic_name_invalid"
  | "topic_filter_invalid"
  | "topic_alias_invalid"
  | "quota_exceeded"
  | "receive_maximum_exceeded"
  | "bad_authentication_method"
  | "identifier_rejected"
  | "not_authorized"
  | "bad_credentials"
  | "server_unavailable"
  | "server_busy"
  | "session_quota"
  | "connection_rate_exceeded";

/** The codes for MQTT 3.1 and 3.1.1, and for MQTT 5. Without a code, the connection is closed silently. */
interface Codes {
  readonly v3?: number;
  readonly v5?: number;
}

/** Return codes of MQTT 3.1.1, 3.2.2.3, and reason codes of MQTT 5, 2.4. */
const PROBLEMS: Readonly<Record<ProtocolProblem, Codes>> = {
  unsupported_version: { v3: 1, v5: 0x84 },
  /** A level that no version has: answered as in MQTT 5, whatever the client speaks. */
  unknown_version: { v3: 0x84, v5: 0x84 },
  unanswered: {},
  malformed_packet: { v5: 0x81 },
  protocol_error: { v5: 0x82 },
  packet_too_large: { v5: 0x95 },
  topic_name_invalid: { v5: 0x90 },
  topic_filter_invalid: { v5: 0x8f },
  topic_alias_invalid: { v5: 0x94 },
  quota_exceeded: { v5: 0x97 },
  receive_maximum_exceeded: { v5: 0x93 },
  bad_authentication_method: { v5: 0x8c },
  identifier_rejected: { v3: 2, v5: 0x85 },
  not_authorized: { v3: 5, v5: 0x87 },
  bad_credentials: { v3: 4, v5: 0x86 },
  server_unavailable: { v3: 3, v5: 0x88 },
  server_busy: { v3: 3, v5: 0x89 },
  session_quota: { v3: 3, v5: 0x97 },
  connection_rate_exceeded: { v3: 3, v5: 0x9f },
};

/** Returns the code of the CONNACK that refuses a CONNECT; undefined if the connection is closed without one. */
export function connackCode(problem: ProtocolProblem, version: ProtocolVersion): number | undefined {
  const { v3, v5 } = PROBLEMS[problem];
  return version === 5 ? v5 : v3;
}

interface Ending {
  /**
   * Whether the session's will is published (MQTT 3.1.1, 3.1.2.5), void, or left to the process that removes the
   * session.
   */
  readonly will: "published" | "void" | "left";
  /** The reason code of the MQTT 5 DISCONNECT (MQTT 5, 3.14.2.1). */
  readonly v5?: number;
  /**
   * Set if all sessions of the process end for this reason, so none can take over another's unacknowledged messages.
   */
  readonly ofAll?: true;
}

/** Returns the reason code of the DISCONNECT for a packet's problem; null if the connection is closed silently. */
export function disconnectCode(problem: ProtocolProblem, version: ProtocolVersion): number | null {
  return (version === 5 ? PROBLEMS[problem].v5 : undefined) ?? null;
}

/** The codes for single requests: a filter, a message, or an unsubscription. */
export const REASON = {
  /** No session subscribes to the topic, and we do not store the message. */
  noSubscribers: 0x10,
  noSubscription: 0x11,
  refusedFilter: 0x80,
  notAuthorized: 0x87,
  filterInvalid: 0x8f,
  quotaExceeded: 0x97,
  /** The receiver is not willing to accept the message (MQTT 5, 3.4.2.1). */
  notStored: 0x83,
  /** The payload is not text although its format indicator says so (MQTT 5, 3.3.2.3.2); for nothing else. */
  payloadFormatInvalid: 0x99,
  sharedNotSupported: 0x9e,
} as const;

/**
 * The reason strings of a DISCONNECT (MQTT 5, 3.14.2.2.3), sent if the client permits them. They must not reveal
 * anything about other clients.
 */
export const DISCONNECT_TEXTS: Readonly<Record<number, string>> = {
  135: "this client publishes to topics that are not its own",
  142: "another connection of this client has taken the place of this one",
  149: "a packet is longer than the maximum packet size of the CONNACK",
  151: "too much waits for this client, or it has exceeded a limit",
  152: "revoked, deleted, disabled, suspended, or disconnected by an administrator",
};

/** The reason strings of a message's acknowledgement. */
export const ACK_TEXTS: Readonly<Record<number, string>> = {
  135: "this client may not publish to this topic",
  151: "delivered and not retained: the tenant has as many retained messages as it may have",
};

/** The reasons for which accepted sessions end, as recorded for the session and shown in the device's presence. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  disconnected: { will: "void" },
  connection_lost: { will: "published" },
  keepalive_timeout: { will: "published", v5: 0x8d },
  protocol_error: { will: "published", v5: 0x82 },
  topic_not_authorised: { will: "published", v5: 0x87 },
  slow_consumer: { will: "published", v5: 0x97 },
  evicted: { will: "published", v5: 0x97 },
  takeover: { will: "published", v5: 0x8e },
  connect_timeout: { will: "void" },
  storage_failed: { will: "published", v5: 0x89 },
  server_stopped: { will: "void", v5: 0x8b, ofAll: true },
  server_moved: { will: "void", v5: 0x9c, ofAll: true },
  /** This process may no longer have sessions, nor store a will: the process that removes the session publishes it. */
  node_lost: { will: "left", v5: 0x9c, ofAll: true },
};

/** Every end reason that is not a drop. */
export const ENDING_REASONS: readonly string[] = Object.keys(ENDINGS);

/** The ending of a drop (a revocation, a deleted device, a disabled client), each of which has a reason of its own. */
const DROPPED: Ending = { will: "void", v5: 0x98 };

/** Returns the consequences of an accepted session's end for `reason`; an unlisted reason is a drop's. */
export function endingOf(reason: string): Ending {
  return Object.hasOwn(ENDINGS, reason) ? ENDINGS[reason]! : DROPPED;
}
