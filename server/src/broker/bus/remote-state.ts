import { withTimeout } from "../../lib/timeouts.ts";
import type { BusReceiver } from "./bus.ts";
import type { BusFrame } from "./frame.ts";
import { RemoteInterest } from "./remote-interest.ts";
import { RemoteOwners } from "./remote-owners.ts";

/**
 * The longest that messages for a released session wait until its former process has stored the messages it was sent.
 */
const FLUSH_MS = 1_000;

/**
 * The announcements of the other processes: their subscriptions, and the stored sessions whose connections they have.
 */
export class RemoteState<Peer> {
  readonly interest = new RemoteInterest<Peer>();
  readonly owners = new RemoteOwners<Peer>();

  /** Applies an announcement. @returns whether it must be acknowledged */
  learn(peer: Peer, frame: BusFrame, receiver: BusReceiver): frame is BusFrame & { number: number } {
    switch (frame.type) {
      case "interest":
        this.interest.set(peer, frame.tenantId, frame.filter, frame.isOn);
        return true;
      case "serve":
        this.owners.add(peer, frame.ownerId);
        return true;
      case "release":
        this.#release(peer, frame, receiver);
        return true;
      case "flushed":
        this.owners.flushed(peer, frame.ownerId);
        return false;
      default:
        return frame.type === "all";
    }
  }

  /** Forgets a process that has left or announces everything again. */
  forget(peer: Peer): void {
    this.interest.forget(peer);
    this.owners.forget(peer);
  }

  /**
   * Applies a release. The session becomes known, and messages for it wait, before a connection that waits for the
   * release goes on.
   */
  #release(peer: Peer, { ownerId, session }: BusFrame & { type: "release" }, receiver: BusReceiver): void {
    if (session) {
      const flushed = this.owners.flushing(peer, ownerId);
      receiver.released(
        session,
        withTimeout(flushed, FLUSH_MS, () => undefined),
      );
    }
    this.owners.remove(peer, ownerId);
  }
}
