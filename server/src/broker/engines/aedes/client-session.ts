import type { TLSSocket } from "node:tls";
import { withTimeout } from "../../../lib/timeouts.ts";
import type { Credential, Principal } from "../../policy.ts";
import type { RegisteredSession } from "../../sessions.ts";
import type { GatedStream } from "./gated-stream.ts";
import { InOrder } from "./in-order.ts";

export interface Will {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
}

/** How long an ended session's last messages may take to be stored before the end counts as done. */
const SETTLE_MS = 2_000;

/** One connection, from the handshake to its end. */
export class ClientSession implements RegisteredSession {
  readonly sessionId: string;
  readonly stream: GatedStream;
  readonly socket: TLSSocket;
  readonly credential: Credential;
  readonly remoteAddress: string;
  readonly inOrder = new InOrder();
  clientId = "";
  will: Will | undefined;
  principal: Principal | undefined;
  /** Known to the database, so its end has to be told. */
  up = false;
  accepted = false;
  /** Why it ended; the first reason stays. */
  reason: string | undefined;
  /** No message of it is taken any more. */
  over = false;
  /** Ended by us in a way that voids its will. */
  willVoid = false;
  readonly closed: Promise<void>;

  constructor(sessionId: string, stream: GatedStream, credential: Credential) {
    this.sessionId = sessionId;
    this.stream = stream;
    this.socket = stream.socket;
    this.credential = credential;
    this.remoteAddress = stream.socket.remoteAddress ?? "";
    this.closed = new Promise((resolve) => stream.once("close", () => resolve()));
  }

  /** Closes the connection at once. A takeover is an ordinary end for the will, anything else voids it. */
  async end(reason: string): Promise<void> {
    this.socket.destroy();
    await this.endPolitely(reason);
  }

  /** The same, but lets what was written last be sent. */
  async endPolitely(reason: string): Promise<void> {
    this.over = true;
    this.reason ??= reason;
    if (reason !== "takeover") this.willVoid = true;
    this.stream.destroy();
    await this.closed;
    await withTimeout(this.inOrder.idle(), SETTLE_MS, () => undefined);
  }
}
