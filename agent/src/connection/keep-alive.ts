/** The fraction of the keep alive after which a PINGREQ is sent: early enough for a slow connection. */
const SHARE = 0.75;
/**
 * Intervals without any packet before the connection counts as lost: one and a half keep alives, as a broker waits for
 * its clients (MQTT 5, 3.1.2.10).
 */
const MOST_SILENT = 2;

/** Sends PINGREQs at intervals; if nothing arrives for two of them, the connection is lost. */
export class KeepAlive {
  readonly #timer: NodeJS.Timeout | undefined;
  #silent = 0;

  /** @param seconds 0 if the broker wants no PINGREQ */
  constructor(seconds: number, ping: () => void, unreachable: () => void) {
    if (seconds === 0) return;
    this.#timer = setInterval(
      () => {
        if (this.#silent >= MOST_SILENT) unreachable();
        else {
          this.#silent += 1;
          ping();
        }
      },
      seconds * SHARE * 1000,
    );
  }

  /** Records that something has arrived. */
  heard(): void {
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
