/** A message of an event stream (HTML Living Standard 9.2). */
export interface StreamMessage {
  event: string;
  data: string;
  /** The last id that the stream has sent; empty before the first. */
  id: string;
}

/**
 * Parses the text of an event stream as it arrives. The stream is read with `fetch` because `EventSource` hides the
 * status of a refused stream and cannot resume after an id that another tab has received.
 */
export function createStreamParser(receive: (message: StreamMessage) => void): (chunk: string) => void {
  let rest = "";
  let id = "";
  let event = "";
  let data: string[] = [];
  const dispatch = () => {
    if (data.length > 0) receive({ event: event || "message", data: data.join("\n"), id });
    event = "";
    data = [];
  };
  const line = (text: string) => {
    if (text === "") return dispatch();
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id") id = value;
  };
  return (chunk) => {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const each of lines) line(each);
  };
}

/**
 * Reads a stream until it ends or `signal` aborts.
 * @returns the status of the answer: 200 for a stream that has ended
 */
export async function readStream(
  path: string,
  options: { after: string; signal: AbortSignal; receive: (message: StreamMessage) => void },
): Promise<number> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (options.after) headers["last-event-id"] = options.after;
  const response = await fetch(path, { headers, signal: options.signal, cache: "no-store" });
  if (!response.ok || !response.body) return response.status;
  const parse = createStreamParser(options.receive);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return response.status;
    parse(value);
  }
}
