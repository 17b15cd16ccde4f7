/** What a client showed: a certificate (and then nothing else counts), or a user name and password, or nothing. */
export type Credential =
  | { kind: "certificate"; der: Buffer; verified: boolean; problem?: string | undefined }
  | { kind: "password"; username: string; password: string }
  | { kind: "none" };

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
  /** Exact filters: one that is listed is granted, no other, however much narrower. */
  readonly subscribeFilters: ReadonlySet<string>;
}

/** How an engine tells the client; MQTT 3.1.1 return codes are 2, 3, 4 and 5 in this order. */
export type Answer = "identifier_rejected" | "server_unavailable" | "bad_credentials" | "not_authorized";

export type Verdict = { allow: true; principal: Principal } | { allow: false; reason: string; answer: Answer };

/** Whose sessions end. */
export type DropTarget =
  | { certificateId: string }
  | { deviceUid: string }
  | { mqttClientId: string }
  | { sessionId: string };

/**
 * Every rule about who may connect, publish and subscribe (spec 4.10): one policy for all engines. It journals what it
 * refuses; an engine only asks and obeys.
 */
export interface BrokerPolicy {
  /** Judges a CONNECT by the books, whatever TLS said. Never rejects: without a database the answer is a refusal. */
  connect(request: ConnectRequest): Promise<Verdict>;
  /** A peer whose certificate TLS did not verify has been disconnected before any CONNECT. */
  unverified(credential: Credential, remoteAddress: string): void;
  mayPublish(principal: Principal, topic: string): boolean;
  maySubscribe(principal: Principal, filter: string): boolean;
  /** Whether a message on `topic` may reach this client, whatever subscriptions an engine remembers. */
  mayReceive(principal: Principal, topic: string): boolean;
  /**
   * Takes a message that `mayPublish` allowed. Resolved means durable: acknowledge then, never before. An engine hands a
   * client's messages over in their order and may hand over the next before the last is resolved.
   */
  message(principal: Principal, topic: string, payload: Buffer): Promise<void>;
  /**
   * A session of an allowed client begins; rejects when the database fails. The predecessor it replaces, if that lives in
   * this process, must be ended before the client is answered.
   */
  sessionUp(
    principal: Principal,
    session: { sessionId: string; remoteAddress: string },
  ): Promise<{ replacedHere: string | undefined }>;
  /** It has ended. Never waits, never fails. */
  sessionDown(principal: Principal, sessionId: string, reason: string): void;
}
