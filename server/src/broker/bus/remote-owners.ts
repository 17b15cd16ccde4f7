/** The owners of stored sessions whose connections are, or were, in other processes. */
export class RemoteOwners<Peer> {
  /** The processes of each owner, the newest last: an earlier process may not have announced its release yet. */
  readonly #peers = new Map<string, Set<Peer>>();
  /** The owners to remove with a process. */
  readonly #of = new Map<Peer, Set<string>>();
  /** Resolved when no process has a connection of the owner. */
  readonly #freed = new Map<string, PromiseWithResolvers<void>>();
  /** Releases that a process has not flushed yet, by process and owner. */
  readonly #flushing = new Map<Peer, Map<string, PromiseWithResolvers<void>>>();

  add(peer: Peer, ownerId: string): void {
    const owners = this.#of.get(peer) ?? new Set<string>();
    this.#of.set(peer, owners.add(ownerId));
    const peers = this.#peers.get(ownerId) ?? new Set<Peer>();
    peers.delete(peer);
    this.#peers.set(ownerId, peers.add(peer));
  }

  remove(peer: Peer, ownerId: string): void {
    this.#of.get(peer)?.delete(ownerId);
    const peers = this.#peers.get(ownerId);
    peers?.delete(peer);
    if (peers && peers.size > 0) return;
    this.#peers.delete(ownerId);
    this.#freed.get(ownerId)?.resolve();
    this.#freed.delete(ownerId);
  }

  /** Resolves when a process has stored the messages sent to it for an owner, or has left. */
  flushing(peer: Peer, ownerId: string): Promise<void> {
    const ofPeer = this.#flushing.get(peer) ?? new Map<string, PromiseWithResolvers<void>>();
    // If a session is released twice, one announcement resolves both waits.
    const flushing = ofPeer.get(ownerId) ?? Promise.withResolvers<void>();
    this.#flushing.set(peer, ofPeer.set(ownerId, flushing));
    return flushing.promise;
  }

  flushed(peer: Peer, ownerId: string): void {
    const ofPeer = this.#flushing.get(peer);
    ofPeer?.get(ownerId)?.resolve();
    ofPeer?.delete(ownerId);
  }

  /** Removes a process that has left. */
  forget(peer: Peer): void {
    for (const ownerId of [...(this.#of.get(peer) ?? [])]) this.remove(peer, ownerId);
    this.#of.delete(peer);
    for (const { resolve } of this.#flushing.get(peer)?.values() ?? []) resolve();
    this.#flushing.delete(peer);
  }

  /** Returns the process that has the owner's connection. */
  serverOf(ownerId: string): Peer | undefined {
    const peers = this.#peers.get(ownerId);
    return peers && [...peers].at(-1);
  }

  /** Resolves when no process has the owner's connection; undefined if none has. */
  freed(ownerId: string): Promise<void> | undefined {
    if (!this.#peers.has(ownerId)) return undefined;
    const freed = this.#freed.get(ownerId) ?? Promise.withResolvers<void>();
    this.#freed.set(ownerId, freed);
    return freed.promise;
  }
}
