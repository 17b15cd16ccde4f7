import { familyBytes, familyCpuMs, unlessGone } from "../../load/processes.ts";

const SAMPLE_MS = 1_000;
/** A node whose database does not answer waits for it. */
const ANSWER_MS = 10_000;

/** Processes of one kind that the simulator has started. */
export interface Part {
  readonly name: string;
  /** Their children belong to them. */
  readonly pids: readonly number[];
}

/** The measurements of one phase. */
export interface Measured {
  readonly parts: readonly {
    readonly name: string;
    readonly cpuMs: number;
    /** The most of all its processes together, without shared memory. */
    readonly maxBytes: number;
  }[];
  /** The most bytes in the ingest stream; undefined where there is none. */
  readonly streamBytes: number | undefined;
}

/** The contents of the ingest stream. */
export interface StreamContents {
  readonly bytes: number;
  /** The age of the oldest message; 0 where the stream is empty. */
  readonly oldestSeconds: number;
}

/** Measures processes and the ingest stream once a second, from phase to phase. */
export class PartMeter {
  readonly #of: { parts(): Part[]; metricsUrls(): string[] };
  readonly #timer: NodeJS.Timeout;
  /** Process id → CPU time at the last reading. */
  readonly #lastCpu = new Map<number, number>();
  #measured = new Map<string, { cpuMs: number; maxBytes: number }>();
  #streamBytes: number | undefined;
  #asking: Promise<StreamContents | undefined> | undefined;

  constructor(of: { parts(): Part[]; metricsUrls(): string[] }) {
    this.#of = of;
    this.#sample();
    this.#measured.clear();
    this.#timer = setInterval(() => {
      this.#sample();
      void this.stream();
    }, SAMPLE_MS);
  }

  /** Returns the measurements since the last call. */
  take(): Measured {
    this.#sample();
    const parts = [...this.#measured].map(([name, figures]) => ({ name, ...figures }));
    const measured = { parts, streamBytes: this.#streamBytes };
    this.#measured = new Map();
    this.#streamBytes = undefined;
    return measured;
  }

  /** Asks the first node that answers for the stream's contents; undefined where there is no stream. */
  stream(): Promise<StreamContents | undefined> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #ask(): Promise<StreamContents | undefined> {
    for (const url of this.#of.metricsUrls()) {
      const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (text === undefined) continue;
      const line = (name: string) => text.split("\n").find((each) => each.startsWith(`${name} `));
      const value = (name: string) => Number(line(name)?.split(" ")[1]);
      const bytes = value('muster_stream_bytes{of="used"}');
      if (Number.isNaN(bytes)) return undefined;
      this.#streamBytes = Math.max(this.#streamBytes ?? 0, bytes);
      return { bytes, oldestSeconds: value("muster_stream_oldest_seconds") };
    }
    return undefined;
  }

  #sample(): void {
    for (const { name, pids } of this.#of.parts()) {
      if (pids.length === 0) continue;
      const sum = (of: (pid: number) => number) => pids.reduce((total, pid) => total + of(pid), 0);
      const { cpuMs, maxBytes } = this.#measured.get(name) ?? { cpuMs: 0, maxBytes: 0 };
      const used = sum((pid) => this.#usedSince(pid));
      this.#measured.set(name, { cpuMs: cpuMs + used, maxBytes: Math.max(maxBytes, sum(familyBytes)) });
    }
  }

  #usedSince(pid: number): number {
    const before = this.#lastCpu.get(pid) ?? 0;
    // A child that ends while it is read is missing until its parent has its time.
    const now = Math.max(before, unlessGone(() => familyCpuMs(pid)) ?? 0);
    this.#lastCpu.set(pid, now);
    return now - before;
  }
}
