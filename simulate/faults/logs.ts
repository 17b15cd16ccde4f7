/** Log lines of one kind. */
export interface LogEntry {
  count: number;
  /** One of them. */
  readonly example: string;
}

/** Messages that no injected fault explains: the program does not handle an event. */
const UNHANDLED = [
  "handling an MQTT packet failed",
  "admitting a client failed",
  "request failed",
  "a part of the service failed to close",
  "stopping failed",
  "the database cannot store a message",
  "a message from another process cannot be decoded",
  "a broadcast from another process cannot be decoded",
  "a command failed",
];
/** The log of requests and commands answered with 503 while PostgreSQL was away or starting (57P03). */
const WITHOUT_DATABASE =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|ECONNREFUSED|ECONNRESET|Client has encountered|"code":"57P0\d"/;
const ENDED = "a process of the service ended; restarting it";
const MAX_EXAMPLE = 600;

/** The errors that nodes have logged, and the unhandled ones among them. */
export class LogSummary {
  /** Message → its lines, at level warn or above. */
  readonly entries = new Map<string, LogEntry>();
  readonly unhandled = new Map<string, LogEntry>();

  add(lines: Iterable<string>): void {
    for (const line of lines) if (line.trim() !== "") this.#add(line);
  }

  #add(line: string): void {
    let parsed: { level?: string; msg?: string; why?: string };
    try {
      parsed = JSON.parse(line);
    } catch {
      count(this.unhandled, "a line that is no log entry", line);
      return;
    }
    const { level = "", msg = "", why } = parsed;
    if (!["warn", "error", "fatal"].includes(level)) return;
    count(this.entries, `${level}: ${msg}`, line);
    const isExpected = msg === ENDED ? why === "SIGKILL" : !UNHANDLED.includes(msg) || WITHOUT_DATABASE.test(line);
    if (level === "fatal" || !isExpected) count(this.unhandled, msg, line);
  }
}

function count(into: Map<string, LogEntry>, what: string, line: string): void {
  const entry = into.get(what);
  if (entry) entry.count++;
  else into.set(what, { count: 1, example: line.slice(0, MAX_EXAMPLE) });
}
