import type { TLSSocket } from "node:tls";
import { within } from "../measure.ts";
import { messageIdOf, publishPacket } from "./publish-packet.ts";

/** Publishes at QoS 1 on one session with `window` messages in flight. */
export interface Publisher {
  readonly acknowledged: number;
  /** Stops sending; resolves with the number of messages when all are acknowledged. */
  finish(): Promise<number>;
}

const ONE_METRIC = '{"temperature":21.5}';

/**
 * Each message carries `values` at a millisecond of its own, counted from `from`, so that each metric becomes one row.
 */
export function publish(
  socket: TLSSocket,
  topic: string,
  window: number,
  from: number,
  values = ONE_METRIC,
): Publisher {
  const packet = publishPacket(topic, values);
  const state = { sent: 0, acknowledged: 0, stopped: false, octets: 0 };
  let finished: (count: number) => void = () => undefined;
  let failed: (error: Error) => void = () => undefined;

  function send(count: number): void {
    const batch = Buffer.allocUnsafe(packet.length * count);
    for (let i = 0; i < count; i++) {
      packet.write(batch, i * packet.length, messageIdOf(state.sent), from + state.sent);
      state.sent++;
    }
    socket.write(batch);
  }

  function received(chunk: Buffer): void {
    state.octets += chunk.length;
    // The broker sends nothing but PUBACK, which has four octets.
    const now = Math.floor(state.octets / 4);
    const fresh = now - state.acknowledged;
    state.acknowledged = now;
    if (!state.stopped) send(fresh);
    else if (state.acknowledged === state.sent) finished(state.sent);
  }

  socket.on("data", received);
  socket.on("close", () => failed(new Error(`${topic}: the session was closed`)));
  send(window);
  return {
    get acknowledged() {
      return state.acknowledged;
    },
    finish: () => {
      const all = new Promise<number>((resolve, reject) => {
        state.stopped = true;
        finished = resolve;
        failed = reject;
        if (socket.destroyed) reject(new Error(`${topic}: the session was closed`));
        else if (state.acknowledged === state.sent) resolve(state.sent);
      });
      return within(60, () => `${topic}: ${state.acknowledged} of ${state.sent} acknowledged`, all);
    },
  };
}
