import { Histogram } from "./histogram.ts";

/** Measured times, each as a histogram. */
export const TIMED = {
  connect: "connect, from TCP to CONNACK",
  acknowledgement: "publish to acknowledgement",
  "delivery, same address": "publish to subscriber, same address",
  "delivery, other address": "publish to subscriber, other address",
  command: "command to device",
  absence: "connection lost to connected again",
  revocation: "revocation to session closed",
  "revocation answered": "revocation to its answer (204)",
} as const;
export type Timed = keyof typeof TIMED;

export const COUNTED = [
  "connected",
  "lost connections",
  "published",
  "published again",
  "acknowledged",
  "received",
  "received again",
  "out of order",
  "commands",
] as const;
export type Counted = (typeof COUNTED)[number];

/** The form of {@link Figures} between processes. */
export type FiguresData = ReturnType<Figures["data"]>;

/** Times, counts and errors of one phase, in one process or in all of them. */
export class Figures {
  readonly #times = new Map<Timed, Histogram>();
  readonly #counts = new Map<Counted, number>();
  readonly #errors = new Map<string, number>();

  time(name: Timed, ms: number): void {
    this.#histogram(name).add(ms);
  }

  add(name: Counted, count = 1): void {
    this.#counts.set(name, this.count(name) + count);
  }

  /** Counts an error. @param what operation and reason, such as `CONNACK 0x88` */
  error(what: string, count = 1): void {
    this.#errors.set(what, (this.#errors.get(what) ?? 0) + count);
  }

  count(name: Counted): number {
    return this.#counts.get(name) ?? 0;
  }

  times(name: Timed): Histogram | undefined {
    return this.#times.get(name);
  }

  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  merge({ times, counts, errors }: FiguresData): void {
    for (const [name, data] of times) this.#histogram(name).merge(data);
    for (const [name, count] of counts) this.add(name, count);
    for (const [what, count] of errors) this.error(what, count);
  }

  data() {
    const times = [...this.#times].map(([name, histogram]) => [name, histogram.data()] as const);
    return { times, counts: [...this.#counts], errors: [...this.#errors] };
  }

  #histogram(name: Timed): Histogram {
    const found = this.#times.get(name);
    if (found) return found;
    const made = new Histogram();
    this.#times.set(name, made);
    return made;
  }
}
