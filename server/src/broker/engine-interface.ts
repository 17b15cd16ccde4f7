import type { DropTarget, RetainedMessages, StoredSessions } from "../connections/connections.ts";
import type { AddressRange } from "../lib/address.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { RequestCounts } from "../lib/limits/request-counts.ts";
import type { Logger } from "../lib/logger.ts";
import type { OnCapReached } from "../lib/sockets/cap-reports.ts";
import type { Bus } from "./bus/bus.ts";
import type { ClientIdRules } from "./codec/read-connect.ts";
import type { BrokerLimits } from "./limits.ts";
import type { ListenerTls } from "./listener.ts";
import type { BrokerPolicy, Principal } from "./policy/policy.ts";

export interface EngineOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Whether other processes listen on the same port. */
  sharesPort?: boolean | undefined;
  tls(): ListenerTls;
  /** Registers a listener for changes of `tls()`; returns a function that unregisters it. */
  onTlsChange(listener: () => void): () => void;
  limits: BrokerLimits;
  /** Load balancers that announce the client's address in a header before the TLS handshake. */
  proxyProtocolFrom?: readonly AddressRange[];
  /** Addresses shared by many clients; the per-address cap does not apply to them. */
  proxies: readonly AddressRange[];
  onCapReached: OnCapReached;
  /** The counts of all processes; without them, this process counts alone. */
  requestCounts?: Pick<RequestCounts, "register"> | undefined;
  policy: BrokerPolicy;
  /**
   * Returns the number of the lease that this process holds now, undefined if it holds none. Omitted: one lease without
   * end.
   */
  leaseTerm?: (() => number | undefined) | undefined;
  /** The address at which MQTT 5 clients should connect once this process accepts no more connections. */
  serverReference?: string | undefined;
  /** The product's rules if omitted. */
  clientIds?: ClientIdRules;
  /** The sessions that outlive their connection. */
  stored: StoredSessions;
  retained: RetainedMessages;
  /** The link to the other processes of the broker, if there are any. */
  bus?: Bus | undefined;
  /** Reports messages for which their stored sessions had no room. */
  onUnstored(count: number): void;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

export type CreateEngine = (options: EngineOptions) => BrokerEngine;

/**
 * An MQTT broker under a {@link BrokerPolicy}: the engine carries bytes, the policy decides. Every engine must pass the
 * policy suite (server/test/broker/policy/policy-suite.ts).
 */
export interface BrokerEngine {
  /** Opens the listener. */
  start(): Promise<{ port: number }>;
  /**
   * Stops accepting connections and ends every session once its messages in flight are stored and acknowledged.
   * `limits` caps the rate per second so that another process can take the sessions over. MQTT 5 clients learn where to
   * connect instead. Idempotent.
   */
  drain(): Promise<void>;
  /**
   * Ends every session within about a second without storing anything, because the database is unreachable. Clients may
   * reconnect.
   */
  endSessions(reason: string): void;
  /** The seconds that {@link drain} would take for the current number of sessions. */
  readonly drainSeconds: number;
  /** Drains, then stops everything else. */
  stop(): Promise<void>;
  healthy(): boolean;
  /**
   * Closes a target's sessions, including one whose CONNECT is being authorized. Resolves once they are closed and none
   * of their messages is in flight. Their wills are not published. Idempotent.
   *
   * @returns the principals whose sessions were open
   */
  drop(target: DropTarget, reason: string): Promise<Principal[]>;
  /**
   * Re-reads the retained messages of a device or MQTT client before delivering them, because its rights may have
   * ended.
   */
  recheckRetained(ownerId: string): void;
  /** Sends a device's pending commands if it is connected here and subscribes to their topics. */
  deliverCommands(deviceUid: string): void;
}
