import assert from "node:assert/strict";
import { test } from "node:test";
import { connackCode, disconnectCode, ENDING_REASONS, endingOf, type ProtocolProblem, REASON } from "./answers.ts";

/** The codes for MQTT 3.1 and 3.1.1, and for MQTT 5; "close" if the connection is closed without a CONNACK. */
const REFUSALS: Record<ProtocolProblem, [number | "close", number | "close"]> = {
  unsupported_version: [1, 0x84],
  unknown_version: [0x84, 0x84],
  unanswered: ["close", "close"],
  malformed_packet: ["close", 0x81],
  protocol_error: ["close", 0x82],
  packet_too_large: ["close", 0x95],
  topic_name_invalid: ["close", 0x90],
  topic_filter_invalid: ["close", 0x8f],
  topic_alias_invalid: ["close", 0x94],
  quota_exceeded: ["close", 0x97],
  receive_maximum_exceeded: ["close", 0x93],
  bad_authentication_method: ["close", 0x8c],
  identifier_rejected: [2, 0x85],
  server_unavailable: [3, 0x88],
  bad_credentials: [4, 0x86],
  not_authorized: [5, 0x87],
  server_busy: [3, 0x89],
  session_quota: [3, 0x97],
  connection_rate_exceeded: [3, 0x9f],
};

test("every CONNECT refusal has its code in each version of MQTT", () => {
  for (const [problem, [older, five]] of Object.entries(REFUSALS) as [ProtocolProblem, [unknown, unknown]][]) {
    assert.equal(connackCode(problem, 3) ?? "close", older, problem);
    assert.equal(connackCode(problem, 4) ?? "close", older, problem);
    assert.equal(connackCode(problem, 5) ?? "close", five, problem);
  }
});

test("a will is published when MQTT requires it, and void when the client or the platform ended the session", () => {
  const published = ["connection_lost", "keepalive_timeout", "protocol_error", "topic_not_authorised"];
  for (const reason of [...published, "slow_consumer", "evicted", "takeover"]) {
    assert.equal(endingOf(reason).will, "published", reason);
  }
  const drops = ["requested", "client_disabled", "disconnected by an admin", "toString"];
  for (const reason of ["disconnected", "connect_timeout", "server_stopped", "server_moved", ...drops]) {
    assert.equal(endingOf(reason).will, "void", reason);
  }
  assert.equal(endingOf("node_lost").will, "left");
});

/** The reason codes that a server may send in a DISCONNECT (MQTT 5, 3.14.2.1). */
const OF_DISCONNECTS = [
  0x00, 0x80, 0x81, 0x82, 0x83, 0x87, 0x89, 0x8b, 0x8d, 0x8e, 0x8f, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99,
  0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, 0xa0, 0xa1, 0xa2,
];

test("a DISCONNECT uses only reason codes that MQTT 5 lists for it", () => {
  for (const reason of [...ENDING_REASONS, "requested"]) {
    const { v5 } = endingOf(reason);
    assert.ok(v5 === undefined || OF_DISCONNECTS.includes(v5), `${reason}: ${v5}`);
  }
});

test("all sessions of a process end when it stops, is drained or has lost its lease", () => {
  const ofAll = ENDING_REASONS.filter((reason) => endingOf(reason).ofAll);
  assert.deepEqual(ofAll, ["server_stopped", "server_moved", "node_lost"]);
});

test("in MQTT 5 every end has the DISCONNECT code of its reason, and all drops share one", () => {
  const codes = Object.fromEntries(ENDING_REASONS.map((reason) => [reason, endingOf(reason).v5]));
  assert.deepEqual(codes, {
    disconnected: undefined,
    connection_lost: undefined,
    connect_timeout: undefined,
    keepalive_timeout: 0x8d,
    protocol_error: 0x82,
    topic_not_authorised: 0x87,
    slow_consumer: 0x97,
    evicted: 0x97,
    takeover: 0x8e,
    storage_failed: 0x89,
    server_stopped: 0x8b,
    server_moved: 0x9c,
    node_lost: 0x9c,
  });
  assert.equal(endingOf("requested").v5, 0x98);
});

test("a packet's problem ends an MQTT 5 session with its code, and an older one without an answer", () => {
  assert.equal(disconnectCode("packet_too_large", 5), 0x95);
  assert.equal(disconnectCode("unanswered", 5), null);
  for (const version of [3, 4] as const) assert.equal(disconnectCode("packet_too_large", version), null);
});

test("the codes of single requests are those of MQTT 5", () => {
  assert.deepEqual(REASON, {
    noSubscribers: 0x10,
    noSubscription: 0x11,
    refusedFilter: 0x80,
    notAuthorized: 0x87,
    filterInvalid: 0x8f,
    notStored: 0x83,
    payloadFormatInvalid: 0x99,
    quotaExceeded: 0x97,
    sharedNotSupported: 0x9e,
  });
});
