/** A job that is done over and over. */
export interface Repeating {
  readonly stopped: boolean;
  /** Cuts the rest short, or leaves out the next one when the job is being done. */
  wake(): void;
  /** Settles when it has been stopped; rejects with what the job threw, which ends it. */
  readonly ended: Promise<void>;
  /** Resolves when the job is not being done any more, whatever became of it. */
  stop(): Promise<void>;
}

/** Does `turn` at once and then again, each time after as many milliseconds as it resolved to. */
export function repeat(turn: (me: Pick<Repeating, "stopped">) => Promise<number>): Repeating {
  let stopped = false;
  let woken = false;
  let cutShort: () => void = () => undefined;

  function rest(ms: number): Promise<void> {
    if (stopped || woken || ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      cutShort = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const me = {
    get stopped() {
      return stopped;
    },
  };

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      await rest(await turn(me));
    }
  }

  const ended = run();
  ended.catch(() => undefined);
  return {
    ended,
    get stopped() {
      return stopped;
    },
    wake() {
      woken = true;
      cutShort();
    },
    async stop() {
      stopped = true;
      cutShort();
      await ended.catch(() => undefined);
    },
  };
}
