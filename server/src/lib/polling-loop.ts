/** A turn of work that repeats until it is stopped or throws. */
export interface PollingLoop {
  readonly stopped: boolean;
  /** Starts the next turn now or, during a turn, immediately after it. */
  wake(): void;
  /** Resolves after {@link PollingLoop.stop}; rejects with the error of a turn, which ends the loop. */
  readonly ended: Promise<void>;
  /** Stops the loop. Resolves when no turn is running, even if one threw. */
  stop(): Promise<void>;
}

/** Runs `turn` immediately and again after each pause; `turn` resolves to the length of the pause in milliseconds. */
export function startPollingLoop(turn: (loop: Pick<PollingLoop, "stopped">) => Promise<number>): PollingLoop {
  let stopped = false;
  let woken = false;
  let endPause: () => void = () => undefined;

  function pause(ms: number): Promise<void> {
    if (stopped || woken || ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const state = {
    get stopped() {
      return stopped;
    },
  };

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      await pause(await turn(state));
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
      endPause();
    },
    async stop() {
      stopped = true;
      endPause();
      await ended.catch(() => undefined);
    },
  };
}
