import type { TLSSocket } from "node:tls";
import { generate } from "mqtt-packet";
import { within } from "../measure.ts";

/** Publishes at QoS 1 on one session, always `window` messages ahead of their acknowledgements. */
export interface Publisher {
  readonly acknowledged: number;
  /** Sends nothing more; resolves when everything sent has been acknowledged. */
  finish(): Promise<number>;
}

const TIMESTAMP = "0000000000000";
const ONE_METRIC = '{"temperature":21.5}';

/**
 * Each message holds `values` (one metric unless said otherwise) at a millisecond of its own, counted from `from`, so that
 * each metric becomes one row.
 * Packets are copies of one template with the packet id and the time written in: the load must not be the bottleneck.
 */
export function publish(
  socket: TLSSocket,
  topic: string,
  window: number,
  from: number,
  values = ONE_METRIC,
): Publisher {
  const template = Buffer.from(
    generate({
      cmd: "publish",
      topic,
      payload: `{"ts":${TIMESTAMP},"values":${values}}`,
      qos: 1,
      messageId: 1,
      dup: false,
      retain: false,
    }),
  );
  const timeAt = template.indexOf(TIMESTAMP);
  const idAt = template.indexOf('{"ts"') - 2;
  const state = { sent: 0, acknowledged: 0, stopped: false, octets: 0 };
  let finished: (count: number) => void = () => undefined;
  let failed: (error: Error) => void = () => undefined;

  function send(count: number): void {
    const batch = Buffer.allocUnsafe(template.length * count);
    for (let i = 0; i < count; i++) {
      const at = i * template.length;
      template.copy(batch, at);
      batch.writeUInt16BE((state.sent % 65_535) + 1, at + idAt);
      batch.write(String(from + state.sent), at + timeAt, "latin1");
      state.sent++;
    }
    socket.write(batch);
  }

  function received(chunk: Buffer): void {
    state.octets += chunk.length;
    // PUBACK is the only packet that comes, and it has four octets.
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
