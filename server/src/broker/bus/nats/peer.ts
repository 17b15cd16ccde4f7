import type { NatsLink } from "./nats-link.ts";

/** Another process, as seen by this one. */
export class Peer {
  readonly name: string;
  link: NatsLink;
  /** The last batch from it that arrived in order; epoch 0: none. */
  received = { epoch: 0, number: 0 };
  /** The ticks since its last heartbeat. */
  silentTicks = 0;
  /** Resolves when all its interest is known. */
  readonly isKnown: Promise<void>;
  readonly setKnown: () => void;

  constructor(name: string, link: NatsLink) {
    this.name = name;
    this.link = link;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.isKnown = promise;
    this.setKnown = resolve;
  }
}
