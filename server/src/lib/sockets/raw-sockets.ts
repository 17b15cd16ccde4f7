import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

type Peer = Pick<Socket, "remoteAddress" | "remotePort">;

/** Finds the raw socket under a TLS socket, which Node does not expose, by the address and port of the peer. */
export class RawSockets {
  readonly #byPeer = new Map<string, Socket>();
  readonly #under = new WeakMap<Socket, Socket>();

  /** Records an accepted connection. */
  opened(raw: Socket): void {
    const peer = nameOf(raw);
    this.#byPeer.set(peer, raw);
    raw.once("close", () => {
      if (this.#byPeer.get(peer) === raw) this.#byPeer.delete(peer);
    });
  }

  /** Records a connection whose handshake is done. */
  secured(socket: TLSSocket): void {
    const raw = this.#byPeer.get(nameOf(socket));
    if (raw) this.#under.set(socket, raw);
  }

  /** Returns the raw socket under a TLS socket that was passed to `secured`. */
  under(socket: Socket): Socket | undefined {
    return this.#under.get(socket);
  }
}

function nameOf({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
