import { readStream, type StreamMessage } from "./event-stream.ts";

/** An event of a stream. */
export interface LiveEvent {
  kind: string;
  at?: string;
  deviceId?: string | null;
  data?: unknown;
  [more: string]: unknown;
}

export type LiveState = "connecting" | "live" | "interrupted" | "ended";

export interface StreamHandlers {
  event: (event: LiveEvent) => void;
  /** Reports that earlier answers may be stale: the stream begins, or could not resume. */
  reload: () => void;
  state: (state: LiveState) => void;
  /** Receives the position at which to resume. */
  cursor?: (cursor: string) => void;
}

const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 15_000;

/**
 * Follows a stream of `/api/admin/events` until `signal` aborts. It reconnects after an interruption and resumes at the
 * last cursor. The end of the session ends it.
 */
export async function followStream(
  path: string,
  options: { after?: string | undefined; signal: AbortSignal; handlers: StreamHandlers },
): Promise<void> {
  const { signal, handlers } = options;
  let after = options.after ?? "";
  let wait = FIRST_WAIT_MS;
  const receive = (message: StreamMessage) => {
    wait = FIRST_WAIT_MS;
    if (message.event === "reset") after = "";
    else if (message.id) after = message.id;
    handlers.cursor?.(after);
    dispatch(message, handlers);
  };
  while (!signal.aborted) {
    handlers.state(after ? "interrupted" : "connecting");
    const status = await readStream(path, { after, signal, receive }).catch(() => 0);
    if (signal.aborted) return;
    if (status === 401 || status === 403) return handlers.state("ended");
    // The service does not know the cursor.
    if (status === 400 || status === 410) after = "";
    handlers.state("interrupted");
    await pause(wait, signal);
    wait = Math.min(wait * 2, MOST_WAIT_MS);
  }
}

function dispatch({ event, data }: StreamMessage, handlers: StreamHandlers): void {
  if (event === "ready") handlers.state("live");
  if (event === "ready" || event === "reset") handlers.reload();
  else if (event !== "end") handlers.event(JSON.parse(data) as LiveEvent);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
