import { followStream, type LiveEvent, type LiveState, type StreamHandlers } from "./follow-stream.ts";

type Shared =
  | { type: "event"; event: LiveEvent }
  | { type: "reload" }
  | { type: "state"; state: LiveState }
  | { type: "ask" };

/** All events except telemetry, which a screen follows only for its devices. */
const PATH = "/api/admin/events";
const NAME = "muster-events";

/**
 * Joins the event stream that all tabs of the browser share, since HTTP/1.1 allows a browser six connections to a
 * service. The tab that holds the lock reads the stream and passes everything to the others; when it closes, another
 * tab gets the lock.
 * @returns a function that leaves the stream
 */
export function joinSharedStream(handlers: Omit<StreamHandlers, "cursor">): () => void {
  const channel = new BroadcastChannel(NAME);
  const stopped = new AbortController();
  let leads = false;
  let state: LiveState = "connecting";
  const receive = (message: Shared) => {
    if (message.type === "event") handlers.event(message.event);
    else if (message.type === "reload") handlers.reload();
    else if (message.type === "state") handlers.state(message.state);
    else if (leads) channel.postMessage({ type: "state", state } satisfies Shared);
  };
  const share = (message: Shared) => {
    if (message.type === "state") state = message.state;
    channel.postMessage(message);
    receive(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Shared>) => receive(data);
  channel.postMessage({ type: "ask" } satisfies Shared);
  const lead = () => {
    leads = true;
    return followStream(PATH, {
      signal: stopped.signal,
      handlers: {
        event: (event) => share({ type: "event", event }),
        reload: () => share({ type: "reload" }),
        state: (next) => share({ type: "state", state: next }),
      },
    });
  };
  navigator.locks.request(NAME, { signal: stopped.signal }, lead).catch(() => undefined);
  return () => {
    stopped.abort();
    channel.close();
  };
}
