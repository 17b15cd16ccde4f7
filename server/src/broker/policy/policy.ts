import type { CommandRequest, WaitingCommands } from "../../commands/commands.ts";
import type { RefusalReason } from "../../connections/connections.ts";
import type { NotStored } from "../../telemetry/telemetry.ts";
import type { ProtocolProblem } from "./answers.ts";
import type { GrantedFilters } from "./granted-filters.ts";

/**
 * The credential that a client presented: a certificate (which takes precedence), a user name and password, or neither.
 */
export type Credential =
  | CertificateCredential
  | { kind: "password"; username: string; password: string }
  | { kind: "none"; tlsVersion?: string | undefined };

export interface CertificateCredential {
  kind: "certificate";
  /** The leaf, DER. */
  der: Buffer;
  /** Whether TLS verified the chain up to a device root. */
  verified: boolean;
  /** OpenSSL's code if TLS did not verify it, e.g. `CERT_HAS_EXPIRED`. */
  verifyError?: string | undefined;
}

export interface ConnectRequest {
  clientId: string;
  remoteAddress: string;
  credential: Credential;
  willTopic?: string | undefined;
}

/** An accepted client and its rights. A device has a device uid and a certificate, an MQTT client has neither. */
export interface Principal {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly clientId: string;
  readonly deviceUid: string | undefined;
  readonly certificateId: string | undefined;
  readonly serialNumber: string | undefined;
  readonly mqttClientId: string | undefined;
  /** Exact topics. */
  readonly publishTopics: ReadonlySet<string>;
  readonly subscribeFilters: GrantedFilters;
}

/** Returns the owner of a client's stored session. A client id is not enough: it may later belong to another device. */
export function ownerOf({ deviceUid, mqttClientId }: Principal): string {
  return (deviceUid ?? mqttClientId)!;
}

/** A pending command for a device (docs/operations/configure.md). */
export type { WaitingCommand } from "../../commands/commands.ts";

/** The answer to a refused CONNECT; `answers.ts` has the codes of each MQTT version. */
export type ConnectAnswer = Extract<
  ProtocolProblem,
  | "identifier_rejected"
  | "server_unavailable"
  | "server_busy"
  | "session_quota"
  | "connection_rate_exceeded"
  | "bad_credentials"
  | "not_authorized"
>;

export interface RefusedConnect {
  allow: false;
  reason: RefusalReason;
  answer: ConnectAnswer;
}

export type ConnectDecision = { allow: true; principal: Principal } | RefusedConnect;

/**
 * The rules about who may connect, publish and subscribe (spec 4.10), for every engine. The policy decides, counts and
 * records refusals; an engine obeys.
 */
export interface BrokerPolicy {
  /** Authorizes a CONNECT against the database, whatever TLS reported. Never rejects: without a database it refuses. */
  authorizeConnect(request: ConnectRequest): Promise<ConnectDecision>;
  /** Records that a client was disconnected before its CONNECT because TLS did not verify its certificate. */
  recordUnverified(credential: CertificateCredential, remoteAddress: string): void;
  /** Records that an authorized client was refused because its tenant has reached its session quota in this process. */
  recordSessionQuota(principal: Principal, remoteAddress: string): void;
  mayPublish(principal: Principal, topic: string): boolean;
  /** Records that a message was delivered but not retained because its tenant has too many retained messages. */
  recordUnretained(principal: Principal, topic: string): void;
  maySubscribe(principal: Principal, filter: string): boolean;
  /**
   * Whether refused filters get 0x80 (unspecified error) without a reason string in MQTT 5, too, which has specific
   * codes.
   */
  readonly hidesReasons?: boolean;
  /**
   * Whether a stored subscription may continue. Like `maySubscribe`, but a refusal is not recorded, as the client did
   * not ask.
   */
  mayKeepSubscription(principal: Principal, filter: string): boolean;
  /**
   * Whether the client may use shared subscriptions (MQTT 5). `maySubscribe` is then asked about the filter after the
   * name.
   */
  mayShare(principal: Principal): boolean;
  /** Whether a message on `topic` may be delivered to this client, whatever subscriptions the engine has. */
  mayReceive(principal: Principal, topic: string): boolean;
  /**
   * Stores a message that `mayPublish` allowed. The message is durable once this resolves: acknowledge it then, never
   * before. An engine passes a client's messages in order, and may pass the next before the last is stored.
   *
   * @param arrival if the message may be stored again because the first outcome is unknown: the same object each time
   * @returns why the message is not stored, or only in part; `undefined` if all of it is, or need not be
   */
  storeMessage(
    principal: Principal,
    topic: string,
    payload: Buffer,
    arrival?: FirstArrival,
  ): Promise<NotStored | undefined>;
  /** Whether {@link storeMessage} stores this client's messages, rather than leaving them to subscribers. */
  storesMessagesOf(principal: Principal): boolean;
  /** Records the session of an authorized client. Rejects if the database fails. */
  openSession(principal: Principal, session: { sessionId: string; remoteAddress: string }): Promise<OpenedSession>;
  /** Records in the background that a session has ended. Never fails. */
  closeSession(principal: Principal, sessionId: string, reason: string): void;
  /** Returns a device's oldest pending commands, recorded as sent. Rejects if the database fails. */
  waitingCommands(principal: Principal, request: Omit<CommandRequest, "deviceUid">): Promise<WaitingCommands>;
  /** Ends a command that its device has acknowledged. Rejects if the database fails. */
  acknowledgeCommand(id: string): Promise<void>;
}

/** The time of the first attempt to store a message, as recorded by the policy; `nowMs` may be given. */
export interface FirstArrival {
  /** Milliseconds since 1970. */
  nowMs?: number;
  /** Microseconds since 1970. */
  time?: number;
  /** The sending session; the message is not stored once the session may not store. */
  sender?: { readonly mayStore: boolean };
}

export interface OpenedSession {
  /**
   * The session of the same client id that it replaces, if it is in this process: close it before answering the client.
   */
  replacedHere: string | undefined;
  /** Whether there may be commands for the device. */
  hasCommands: boolean;
  /** Whether the client has a stored session. */
  hasStored: boolean;
  /** Whether an undelayed will of the client's earlier connection is stored. */
  hasWill: boolean;
  /**
   * Set when the client's authorization was revoked in the meantime: the session was not recorded and must be refused.
   */
  ended?: string;
  /**
   * Resolves to true when the client's earlier sessions in other processes have closed, and to false on timeout. Call
   * it immediately, even if the client has already left: its next session relies on it.
   *
   * @param notify called for a session whose process has not noticed in the database that it was replaced, perhaps
   * because it is cut off
   */
  awaitReplaced?: ((notify: (sessionId: string) => void) => Promise<boolean>) | undefined;
}
