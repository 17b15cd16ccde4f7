import type { BrokerPolicy, DropTarget } from "./policy.ts";

/** What an engine can do; tests and the documentation ask. */
export interface Capabilities {
  mqtt5: boolean;
  qos2: boolean;
  /** Whether an unverifiable certificate is answered with a TLS alert. */
  tlsAlert: boolean;
  cluster: boolean;
  /** What a client sees when it publishes where it may not. */
  deniedPublish: "disconnect" | "reason_code";
}

/** An MQTT broker under a {@link BrokerPolicy}. It carries bytes and asks; `policy-suite` is what it must hold. */
export interface BrokerEngine {
  readonly capabilities: Capabilities;
  /** Opens the listener. */
  start(policy: BrokerPolicy): Promise<{ port: number }>;
  /** Takes no more, lets messages under way be stored and acknowledged, then closes every session. */
  stop(): Promise<void>;
  healthy(): boolean;
  /**
   * Ends the sessions of a target, also one whose CONNECT is being judged right now. Resolves when they are closed and
   * none of their messages is under way any more. Their wills are not published. Idempotent.
   */
  drop(target: DropTarget, reason: string): Promise<void>;
  /** The id of the client's session, if it is connected here. */
  sessionOf(clientId: string): string | undefined;
  /** How many sessions are open here. */
  sessions(): number;
  /** Sends a message of the platform's own to the subscribers. */
  publish(topic: string, payload: Buffer, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
}
