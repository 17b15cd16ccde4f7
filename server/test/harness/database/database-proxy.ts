import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy between a service and its PostgreSQL that fails as networks and servers do. */
export interface DatabaseProxy {
  /** The database's address through the proxy. */
  readonly url: string;
  /** Accepts connections and bytes but forwards nothing, like a server that hangs. */
  pause(): void;
  /**
   * Forwards nothing on existing connections but accepts new ones, like a host that disappeared without closing its
   * connections.
   */
  lose(): void;
  /** Forwards requests and drops the answers. */
  loseAnswers(): void;
  /**
   * Stops forwarding on the next connection on which the service sends `text`: from that statement on, or from its
   * answer on. Resolves when that has happened.
   */
  loseAt(text: string, from: "statement" | "answer"): Promise<void>;
  /** Breaks every connection and refuses new ones, like a server that is down. */
  vanish(): void;
  /** Restores normal operation. */
  heal(): void;
  close(): Promise<void>;
}

export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const lost: [Socket, Socket][] = [];
  let state: "up" | "paused" | "gone" | "mute" = "up";
  let awaited: { text: string; from: "statement" | "answer"; lost: () => void } | undefined;

  const lose = (pair: [Socket, Socket]) => {
    for (const socket of pair) socket.pause();
    pairs.delete(pair);
    lost.push(pair);
  };

  // `noDelay` keeps the proxy from adding delay: Nagle's algorithm would make small writes wait some 40 ms for the
  // previous acknowledgement.
  const server = createServer({ noDelay: true }, (near) => {
    if (state === "gone") return void near.destroy();
    const far = connect({ port: Number(target.port || 5432), host: target.hostname, noDelay: true });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (bytes) => {
        const ending = to === far && awaited && bytes.includes(awaited.text) ? awaited : undefined;
        if (ending?.from !== "statement" && (state !== "mute" || to === far)) to.write(bytes);
        if (!ending) return;
        awaited = undefined;
        lose(pair);
        ending.lost();
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (state === "paused") for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);

  const cut = () => {
    for (const [near, far] of [...pairs, ...lost]) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    url: url.href,
    pause() {
      state = "paused";
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    lose() {
      for (const pair of [...pairs]) lose(pair);
    },
    loseAnswers() {
      state = "mute";
    },
    loseAt: (text, from) =>
      new Promise((resolve) => {
        awaited = { text, from, lost: resolve };
      }),
    vanish() {
      state = "gone";
      cut();
    },
    heal() {
      state = "up";
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
