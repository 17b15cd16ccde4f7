import { followStream, type LiveEvent, type LiveState } from "./follow-stream.ts";

export interface Point {
  /** Milliseconds. */
  at: number;
  value: number;
}

/** A value in the form of the stream and of `GET /devices/{id}/latest`. */
export interface LatestValue {
  metric: string;
  value: number | boolean | string;
  at: string;
  receivedAt: string;
  timeReplaced: boolean;
}

export interface TelemetrySnapshot {
  latest: ReadonlyMap<string, LatestValue>;
  /** The numbers of each charted metric since the store was opened, oldest first. */
  points: ReadonlyMap<string, readonly Point[]>;
  state: LiveState;
}

/** Screens are drawn at most four times per second. */
const DRAW_MS = 250;
/** One hour at one value per second. Older points are dropped to bound the memory of an open page. */
const MOST_POINTS = 3600;

/**
 * The telemetry of a device while a screen shows it. It bypasses queries, which would compare every value with the last
 * and draw every screen again, a thousand times per second.
 */
export class TelemetryStore {
  readonly #latest = new Map<string, LatestValue>();
  readonly #points: ReadonlyMap<string, Point[]>;
  readonly #listeners = new Set<() => void>();
  readonly #stopped = new AbortController();
  readonly #deviceId: string;
  #snapshot: TelemetrySnapshot = { latest: new Map(), points: new Map(), state: "connecting" };
  #state: LiveState = "connecting";
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param charted the metrics whose points are kept: a device has up to 500, and charts show a few */
  constructor(deviceId: string, charted: readonly string[] = []) {
    this.#deviceId = deviceId;
    this.#points = new Map(charted.map((metric) => [metric, []]));
  }

  /**
   * Follows the device until {@link close}.
   * @param reload called whenever the stream begins: values published in between are stored but not sent
   */
  open(path: string, reload: () => void): void {
    void followStream(path, {
      signal: this.#stopped.signal,
      handlers: {
        event: (event) => this.receive(event),
        reload,
        state: (state) => {
          this.#state = state;
          this.#schedule();
        },
      },
    });
  }

  close(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  receive({ kind, deviceId, data }: LiveEvent): void {
    if (kind !== "telemetry.changed" || deviceId !== this.#deviceId) return;
    for (const value of (data as { values: LatestValue[] }).values) this.#add(value);
    this.#schedule();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): TelemetrySnapshot => this.#snapshot;

  #add(value: LatestValue): void {
    this.#latest.set(value.metric, value);
    const points = this.#points.get(value.metric);
    if (!points || typeof value.value !== "number") return;
    const at = Date.parse(value.at);
    // A late value would turn the line back. The chart of a range shows it.
    if (points.length > 0 && at <= points.at(-1)!.at) return;
    points.push({ at, value: value.value });
    if (points.length > MOST_POINTS) points.splice(0, points.length - MOST_POINTS);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const points = new Map([...this.#points].map(([metric, points]) => [metric, [...points]]));
      this.#snapshot = { latest: new Map(this.#latest), points, state: this.#state };
      for (const listener of this.#listeners) listener();
    }, DRAW_MS);
  }
}
