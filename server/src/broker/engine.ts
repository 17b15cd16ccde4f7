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
  /** 0 picks a free one. */
  port: number;
  /** Other processes listen on the port, too. */
  sharesPort?: boolean | undefined;
  tls(): ListenerTls;
  /** Registers what to call when `tls()` has changed; returns a function that unregisters it. */
  onTlsChange(listener: () => void): () => void;
  limits: BrokerLimits;
  /** Load balancers that name the client of a connection before its TLS. */
  proxyProtocolFrom?: readonly AddressRange[];
  /** Addresses that many clients share, to which the caps on one address do not apply. */
  proxies: readonly AddressRange[];
  onCapReached: OnCapReached;
  /** Of all processes; this one counts for itself where there are none. */
  requestCounts?: Pick<RequestCounts, "register"> | undefined;
  policy: BrokerPolicy;
  /** The lease in which this process has sessions now, undefined without one; always the same one where it is left out. */
  leaseTerm?: (() => number | undefined) | undefined;
  /** Where clients of MQTT 5 connect instead, once this process accepts no more connections. */
  serverReference?: string | undefined;
  /** Of the product, where it is left out. */
  clientIds?: ClientIdRules;
  /** The sessions that outlive their connection. */
  stored: StoredSessions;
  retained: RetainedMessages;
  /** To the other processes of the broker, if there are any. */
  bus?: Bus | undefined;
  /** Messages had no room in the stored sessions for which they were meant. */
  onUnstored(count: number): void;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

export type CreateEngine = (options: EngineOptions) => BrokerEngine;

/**
 * An MQTT broker under a {@link BrokerPolicy}: it carries bytes, the policy decides. Every engine must pass the policy suite
 * (server/test/broker/policy-suite.ts).
 */
export interface BrokerEngine {
  /** Opens the listener. */
  start(): Promise<{ port: number }>;
  /**
   * Accepts no more connections and ends every session, after its messages under way are stored and acknowledged: at most as many a
   * second as `limits` say, so that another process can take them. Clients of MQTT 5 learn where to connect instead. Idempotent.
   */
  drain(): Promise<void>;
  /** Ends every session within a second or so, and waits for nothing: the database is not there to store anything. Clients may connect again. */
  endSessions(reason: string): void;
  /** How long {@link drain} would take for the number of sessions alone. */
  readonly drainSeconds: number;
  /** Drains, then stops everything else. */
  stop(): Promise<void>;
  healthy(): boolean;
  /**
   * Closes the sessions of a target, also one whose CONNECT is being authorized. Resolves when they are closed and none of their
   * messages is under way any more. Their wills are not published. Idempotent.
   *
   * @returns whose sessions were open
   */
  drop(target: DropTarget, reason: string): Promise<Principal[]>;
  /** Reads the retained messages of this device or MQTT client again, before they are delivered: its rights may have ended. */
  recheckRetained(ownerId: string): void;
  /** Sends the commands that wait for a device, if it is connected here and subscribes to their topics. */
  deliverCommands(deviceUid: string): void;
}
