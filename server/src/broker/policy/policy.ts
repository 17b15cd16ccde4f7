import type { CommandRequest, WaitingCommand } from "../../commands/commands.ts";
import type { RefusalReason } from "../../connections/connections.ts";
import type { ProtocolProblem } from "./answers.ts";

/** What a client presented: a certificate (then nothing else counts), a user name and password, or neither. */
export type Credential =
  | CertificateCredential
  | { kind: "password"; username: string; password: string }
  | { kind: "none" };

export interface CertificateCredential {
  kind: "certificate";
  /** The leaf, DER. */
  der: Buffer;
  /** Whether TLS verified its chain up to a device root. */
  verified: boolean;
  /** OpenSSL's code for why it did not, e.g. `CERT_HAS_EXPIRED`. */
  verifyError?: string | undefined;
}

export interface ConnectRequest {
  clientId: string;
  remoteAddress: string;
  credential: Credential;
  willTopic?: string | undefined;
}

/** An accepted client and what it may do. A device has a device and a certificate, an MQTT client has neither. */
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
  /** Exact filters: a listed filter is granted, no other, however much narrower. */
  readonly subscribeFilters: ReadonlySet<string>;
}

/** The owner of a client's stored session: a client id may be another device's later. */
export function ownerOf({ deviceUid, mqttClientId }: Principal): string {
  return (deviceUid ?? mqttClientId)!;
}

/** A command that waits for a device (docs/operations/configure.md). */
export type { WaitingCommand } from "../../commands/commands.ts";

/** How a refused CONNECT is answered; `answers.ts` has the codes of each MQTT version. */
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
 * Every rule about who may connect, publish and subscribe (spec 4.10), for every engine. The policy counts and records what
 * it refuses; an engine asks and obeys.
 */
export interface BrokerPolicy {
  /** Authorizes a CONNECT by the database, whatever TLS said. Never rejects: without a database the decision is a refusal. */
  authorizeConnect(request: ConnectRequest): Promise<ConnectDecision>;
  /** Records that a client was disconnected before its CONNECT, because TLS did not verify its certificate. */
  recordUnverified(credential: CertificateCredential, remoteAddress: string): void;
  /** Records that an authorized client was refused, because its tenant has as many sessions in this process as it may have. */
  recordSessionQuota(principal: Principal, remoteAddress: string): void;
  mayPublish(principal: Principal, topic: string): boolean;
  /** Records that a message was delivered and not retained, because its tenant has too many retained messages. */
  recordUnretained(principal: Principal, topic: string): void;
  maySubscribe(principal: Principal, filter: string): boolean;
  /** A filter that is refused gets 0x80 (unspecified error) also in MQTT 5, which has a code for the reason; and nothing is said in words. */
  readonly hidesReasons?: boolean;
  /** Whether a stored subscription continues; as `maySubscribe`, but a refusal is no attempt of the client, and not recorded. */
  mayKeepSubscription(principal: Principal, filter: string): boolean;
  /** Whether the client may share its subscriptions with others (MQTT 5): `maySubscribe` is then asked about the filter behind the name. */
  mayShare(principal: Principal): boolean;
  /** Whether a message on `topic` may be delivered to this client, whatever subscriptions the engine has. */
  mayReceive(principal: Principal, topic: string): boolean;
  /**
   * Stores a message that `mayPublish` allowed. When it resolves the message is durable: acknowledge it then, never before.
   * An engine passes on the messages of a client in their order, and may pass on the next one before the last is stored.
   *
   * @param arrival of a message that is stored again where it is not known to be stored: the same object each time
   */
  storeMessage(principal: Principal, topic: string, payload: Buffer, arrival?: FirstArrival): Promise<void>;
  /** Whether {@link storeMessage} stores what this client publishes, or leaves it to subscribers. */
  storesMessagesOf(principal: Principal): boolean;
  /** Records the session of an authorized client; rejects when the database fails. */
  openSession(principal: Principal, session: { sessionId: string; remoteAddress: string }): Promise<OpenedSession>;
  /** Records that a session has ended, in the background. Never fails. */
  closeSession(principal: Principal, sessionId: string, reason: string): void;
  /** The oldest commands that a device is to be sent. Rejects when the database fails. */
  waitingCommands(principal: Principal, request: Omit<CommandRequest, "deviceUid">): Promise<WaitingCommand[]>;
  /** Deletes a command that its device has acknowledged. Rejects when the database fails. */
  acknowledgeCommand(id: string): Promise<void>;
}

/** When a message was first to be stored, as the policy has recorded it; `nowMs` may be given. */
export interface FirstArrival {
  /** Milliseconds since 1970. */
  nowMs?: number;
  /** Microseconds since 1970. */
  time?: number;
  /** The session that sent it: nothing of it is stored once it may not. */
  sender?: { readonly mayStore: boolean };
}

export interface OpenedSession {
  /** The session of the same client id that it replaces, if that is one of this process: close it before the client is answered. */
  replacedHere: string | undefined;
  /** Commands may wait for the device. */
  hasCommands: boolean;
  /** The client has a stored session. */
  hasStored: boolean;
  /** A will without a delay of an earlier connection of the client is stored. */
  hasWill: boolean;
  /** Why it is not recorded, and to be refused: the right of the client has ended since it was authorized. */
  ended?: string;
  /**
   * Resolves when the earlier sessions of the client at other processes have closed; to false where they have not in time. To be called at once, also
   * where the client has left meanwhile: its next session relies on it.
   *
   * @param notify of one whose process has not noticed from the database that it was replaced: it may be cut off from that
   */
  awaitReplaced?: ((notify: (sessionId: string) => void) => Promise<boolean>) | undefined;
}
