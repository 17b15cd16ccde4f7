/** The protocol level of a CONNECT: 3 is MQTT 3.1, 4 is MQTT 3.1.1. */
export type ProtocolVersion = 3 | 4 | 5;

/** What is wrong with a packet, or why a CONNECT is refused. */
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

/** A code for MQTT 3.1 and 3.1.1, and one for MQTT 5. Without a code the connection is only closed. */
interface Codes {
  readonly v3?: number;
  readonly v5?: number;
}

/** Return codes of MQTT 3.1.1, 3.2.2.3, and reason codes of MQTT 5, 2.4. */
const PROBLEMS: Readonly<Record<ProtocolProblem, Codes>> = {
  unsupported_version: { v3: 1, v5: 0x84 },
  /** A level that no version has: answered as MQTT 5 does, whatever the client speaks. */
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

/** The code of the CONNACK that refuses a CONNECT; undefined where the connection is closed without one. */
export function connackCode(problem: ProtocolProblem, version: ProtocolVersion): number | undefined {
  const { v3, v5 } = PROBLEMS[problem];
  return version === 5 ? v5 : v3;
}

interface Ending {
  /** Whether the session's will is published (MQTT 3.1.1, 3.1.2.5), or left to the process that removes the session. */
  readonly will: "published" | "void" | "left";
  /** The reason code of the DISCONNECT that MQTT 5 has for it (MQTT 5, 3.14.2.1). */
  readonly v5?: number;
  /** All sessions of the process end with it, so none can take over what another has not acknowledged. */
  readonly ofAll?: true;
}

/** The reason code of the DISCONNECT that ends a session for a packet's problem; null where the connection is only closed. */
export function disconnectCode(problem: ProtocolProblem, version: ProtocolVersion): number | null {
  return (version === 5 ? PROBLEMS[problem].v5 : undefined) ?? null;
}

/** Codes of single requests: a filter, a message, or the end of a subscription. */
export const REASON = {
  /** Nothing subscribes to the topic, and we do not store the message. */
  noSubscribers: 0x10,
  noSubscription: 0x11,
  refusedFilter: 0x80,
  notAuthorized: 0x87,
  filterInvalid: 0x8f,
  quotaExceeded: 0x97,
  sharedNotSupported: 0x9e,
} as const;

/** What a DISCONNECT says in words (MQTT 5, 3.14.2.2.3), where the client permits it. Nothing that only other clients may know. */
export const DISCONNECT_TEXTS: Readonly<Record<number, string>> = {
  135: "this client publishes to topics that are not its own",
  142: "another connection of this client has taken the place of this one",
  149: "a packet is longer than the maximum packet size of the CONNACK",
  151: "too much waits for this client, or it has exceeded a limit",
  152: "revoked, deleted, disabled, suspended, or disconnected by an administrator",
};

/** What the acknowledgement of a message says in words. */
export const ACK_TEXTS: Readonly<Record<number, string>> = {
  135: "this client may not publish to this topic",
  151: "delivered and not retained: the tenant has as many retained messages as it may have",
};

/** Why sessions end that were accepted, as their record and the presence of their devices say it. */
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
  /** This process may have no sessions any more, and cannot store a will: it is published when its session is removed. */
  node_lost: { will: "left", v5: 0x9c, ofAll: true },
};

/** Every reason of an end that is not a drop. */
export const ENDING_REASONS: readonly string[] = Object.keys(ENDINGS);

/** A drop (a revocation, a deleted device, a disabled client) has a reason of its own. */
const DROPPED: Ending = { will: "void", v5: 0x98 };

/** What follows from the end of an accepted session for `reason`; a reason that is not listed is that of a drop. */
export function endingOf(reason: string): Ending {
  return Object.hasOwn(ENDINGS, reason) ? ENDINGS[reason]! : DROPPED;
}
