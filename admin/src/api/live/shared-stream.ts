import { followStream, type LiveEvent, type LiveState, type StreamHandlers } from "./follow-stream.ts";

type Shared =
  | { type: "event"; event: LiveEvent }
  | { type: "reload" }
  | { type: "state"; state: LiveState }
  | { type: "ask" };

/** Events of everything but telemetry, which a screen follows for the devices that it shows. */
const PATH = "/api/admin/events";
const NAME = "muster-events";

/**
 * One event stream for all tabs of the browser, since HTTP/1.1 allows a browser six connections to a service: the tab that has the lock
 * reads it and passes everything to the others. When that tab closes, another gets the lock.
 * @returns a function that stops this tab's part
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
