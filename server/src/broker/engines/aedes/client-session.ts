import type { TLSSocket } from "node:tls";
import type { Client } from "aedes";
import type { Clock } from "../../../lib/clock.ts";
import { withTimeout } from "../../../lib/timeouts.ts";
import type { InboundBudget } from "../../inbound-budget.ts";
import type { BrokerLimits } from "../../limits.ts";
import { endingOf } from "../../policy/answers.ts";
import type { Credential, Principal } from "../../policy/policy.ts";
import { RateLimit } from "../../rate-limit.ts";
import type { SessionBudget } from "../../session-budget.ts";
import type { RegisteredSession } from "../../session-registry.ts";
import { AckQueue } from "./ack-queue.ts";
import { GatedStream } from "./gated-stream.ts";

export interface Will {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
}

/** How long closing a session waits until its last messages are stored. */
const SETTLE_MS = 2_000;

/** One connection, from the TLS handshake to its end. */
export class ClientSession implements RegisteredSession {
  readonly sessionId: string;
  readonly stream: GatedStream;
  readonly socket: TLSSocket;
  /** What the client presented in the TLS handshake. */
  readonly presented: Credential;
  readonly remoteAddress: string;
  readonly acks = new AckQueue();
  /** Of an accepted one: its messages that are not settled. */
  budget: SessionBudget | undefined;
  clientId = "";
  will: Will | undefined;
  principal: Principal | undefined;
  /** The database lists it as open, so its end must be recorded. */
  recorded = false;
  /** Its CONNECT was accepted. */
  accepted = false;
  /** Why it ended; the first reason stays. */
  reason: string | undefined;
  /** No further message of it is stored. */
  closing = false;
  /** We ended it in a way that voids its will. */
  willVoid = false;
  readonly closed: Promise<void>;

  constructor(
    sessionId: string,
    socket: TLSSocket,
    presented: Credential,
    { limits, clock }: { limits: BrokerLimits; clock: Clock },
  ) {
    this.sessionId = sessionId;
    this.socket = socket;
    this.presented = presented;
    this.remoteAddress = socket.remoteAddress ?? "";
    const onProblem = (reason: string) => {
      this.reason ??= reason;
    };
    this.stream = new GatedStream(socket, { limits, rate: new RateLimit(limits, clock), onProblem });
    this.stream.on("error", () => undefined);
    this.closed = new Promise((resolve) => this.stream.once("close", () => resolve()));
    Object.assign(this.stream, { session: this });
  }

  /** The client has its CONNACK. What it sends is read while the budget has room. */
  accept(inbound: InboundBudget, { tenantId }: Principal): void {
    this.accepted = true;
    this.budget = inbound.open(tenantId, () => this.stream.resumeInBudget());
    if (this.stream.destroyed) this.closeBudget();
    else this.stream.accept(this.budget);
  }

  /** Messages that were not begun are dropped. */
  closeBudget(): void {
    this.budget?.close();
    this.budget = undefined;
  }

  /** Closes the connection at once. */
  async end(reason: string): Promise<void> {
    this.socket.destroy();
    await this.endGracefully(reason);
  }

  /** The same, but what was written last is still sent. */
  async endGracefully(reason: string): Promise<void> {
    this.closing = true;
    this.reason ??= reason;
    if (endingOf(reason).will === "void") this.willVoid = true;
    this.stream.destroy();
    await this.closed;
    await withTimeout(this.acks.idle(), SETTLE_MS, () => undefined);
  }
}

/** aedes knows a client by its stream, and the stream its session. */
export function sessionOf(client: Client): ClientSession {
  return (client.conn as unknown as { session: ClientSession }).session;
}
