import { familyBytes, familyCpuMs } from "../../load/processes.ts";

const SAMPLE_MS = 1_000;
/** A node whose database does not answer waits for it. */
const ANSWER_MS = 10_000;

/** Processes of one kind that the simulator has started. */
export interface Part {
  readonly name: string;
  /** Their children belong to them. */
  readonly pids: readonly number[];
}

/** What the processes of a part took in one phase. */
export interface PartFigures {
  readonly name: string;
  readonly cpuMs: number;
  /** All of them together, at most, without memory that they share. */
  readonly maxBytes: number;
}

/** What was measured in one phase. */
export interface Measured {
  readonly parts: readonly PartFigures[];
  /** What the ingest stream held, at most; undefined where there is none. */
  readonly streamBytes: number | undefined;
}

/** What the ingest stream holds. */
export interface StreamContents {
  readonly bytes: number;
  /** Since the oldest message was appended; 0 where it is empty. */
  readonly oldestSeconds: number;
}

/** Measures processes and the ingest stream once a second, from phase to phase. */
export class PartMeter {
  readonly #parts: () => Part[];
  readonly #metricsUrls: readonly string[];
  readonly #timer: NodeJS.Timeout;
  /** Process id → CPU time when it was read the last time. */
  readonly #lastCpu = new Map<number, number>();
  #measured = new Map<string, { cpuMs: number; maxBytes: number }>();
  #streamBytes: number | undefined;
  #asking: Promise<StreamContents | undefined> | undefined;

  constructor({ parts, metricsUrls }: { parts(): Part[]; metricsUrls: readonly string[] }) {
    this.#parts = parts;
    this.#metricsUrls = metricsUrls;
    this.#sample();
    this.#measured.clear();
    this.#timer = setInterval(() => {
      this.#sample();
      void this.stream();
    }, SAMPLE_MS);
  }

  /** What was measured since the last call. */
  take(): Measured {
    this.#sample();
    const parts = [...this.#measured].map(([name, figures]) => ({ name, ...figures }));
    const measured = { parts, streamBytes: this.#streamBytes };
    this.#measured = new Map();
    this.#streamBytes = undefined;
    return measured;
  }

  /** What the stream held about a second ago, as the first node says that answers; undefined where none does, or there is no stream. */
  stream(): Promise<StreamContents | undefined> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<StreamContents | undefined> {
    for (const url of this.#metricsUrls) {
      const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (text === undefined) continue;
      const value = (name: string) =>
        Number(
          text
            .split("\n")
            .find((line) => line.startsWith(`${name} `))
            ?.split(" ")[1],
        );
      const bytes = value('muster_stream_bytes{of="used"}');
      if (Number.isNaN(bytes)) return undefined;
      this.#streamBytes = Math.max(this.#streamBytes ?? 0, bytes);
      return { bytes, oldestSeconds: value("muster_stream_oldest_seconds") };
    }
    return undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    for (const { name, pids } of this.#parts()) {
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
    const now = Math.max(before, cpuOf(pid));
    this.#lastCpu.set(pid, now);
    return now - before;
  }
}

/** @returns 0 where the process has ended */
function cpuOf(pid: number): number {
  try {
    return familyCpuMs(pid);
  } catch {
    return 0;
  }
}
