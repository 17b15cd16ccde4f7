import { withTimeout } from "../../lib/timeouts.ts";
import type { BusReceiver } from "./bus.ts";
import type { BusFrame } from "./frame.ts";
import { RemoteInterest } from "./remote-interest.ts";
import { RemoteOwners } from "./remote-owners.ts";

/** How long messages for a released session wait until the process that had it has stored what it was sent. */
const SETTLE_MS = 1_000;

/** What the other processes have announced: their subscriptions, and the stored sessions whose connections they have. */
export class RemoteState<Peer> {
  readonly interest = new RemoteInterest<Peer>();
  readonly owners = new RemoteOwners<Peer>();

  /** Takes an announcement. @returns whether that process must know that this one knows it */
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
      case "settled":
        this.owners.settled(peer, frame.ownerId);
        return false;
      default:
        return frame.type === "all";
    }
  }

  /** The process has left, or says everything again. */
  forget(peer: Peer): void {
    this.interest.forget(peer);
    this.owners.forget(peer);
  }

  /** The session is known, and messages for it wait, before a connection that waits for its release goes on. */
  #release(peer: Peer, { ownerId, session }: BusFrame & { type: "release" }, receiver: BusReceiver): void {
    if (session) {
      const settled = this.owners.settling(peer, ownerId);
      receiver.released(
        session,
        withTimeout(settled, SETTLE_MS, () => undefined),
      );
    }
    this.owners.remove(peer, ownerId);
  }
}
