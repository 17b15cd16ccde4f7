import { within } from "./measure.ts";
import type { Session } from "./mqtt-client.ts";
import { messageIdOf, publishPacket, QUIET } from "./publish-packet.ts";

/** Messages at QoS 1 with a constant number in flight. */
export interface Publisher {
  readonly acknowledged: number;
  /** Stops sending, waits for the last acknowledgement and returns the number of messages. */
  finish(): Promise<number>;
}

export interface Messages {
  /** Messages in flight per session. */
  readonly window: number;
  /** The time of a session's first message; each further one is a millisecond later, so that each becomes a row. */
  readonly from: number;
  readonly values?: string;
}

/** Publishes on all sessions, with later times than any run before: rules skip readings older than the newest one. */
export function publishOnAll(sessions: readonly Session[], messages: Messages): Publisher & { longest(): number } {
  const publishers = sessions.map((session) => publishOn(session, messages));
  const acknowledged = () => publishers.reduce((sum, each) => sum + each.acknowledged, 0);
  return {
    get acknowledged() {
      return acknowledged();
    },
    longest: () => Math.max(...publishers.map((each) => each.acknowledged)),
    finish: async () => {
      await Promise.all(publishers.map((each) => each.finish()));
      return acknowledged();
    },
  };
}

function publishOn({ socket, topic }: Session, { window, from, values = QUIET }: Messages): Publisher {
  const packet = publishPacket(topic, values);
  const state = { sent: 0, acknowledged: 0, stopped: false, octets: 0 };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  promise.catch(() => undefined);

  function send(count: number): void {
    const batch = Buffer.allocUnsafe(packet.length * count);
    for (let i = 0; i < count; i++) {
      packet.write(batch, i * packet.length, messageIdOf(state.sent), from + state.sent);
      state.sent++;
    }
    socket.write(batch);
  }

  socket.on("data", (chunk: Buffer) => {
    state.octets += chunk.length;
    // The broker sends nothing but PUBACK, which has four octets.
    const fresh = Math.floor(state.octets / 4) - state.acknowledged;
    state.acknowledged += fresh;
    if (!state.stopped) send(fresh);
    else if (state.acknowledged === state.sent) resolve(state.sent);
  });
  socket.on("close", () => reject(new Error(`${topic}: the session was closed`)));
  send(window);
  return {
    get acknowledged() {
      return state.acknowledged;
    },
    finish: () => {
      state.stopped = true;
      if (state.acknowledged === state.sent) resolve(state.sent);
      return within(60, () => `${topic}: ${state.acknowledged} of ${state.sent} acknowledged`, promise);
    },
  };
}
