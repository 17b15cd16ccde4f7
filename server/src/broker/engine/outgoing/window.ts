type Awaited = "puback" | "pubrec" | "pubcomp";

const LAST_ID = 0xffff;

/**
 * The packet ids of messages that a client has been sent and has not acknowledged. Of a message only its id is needed: no session outlives
 * its connection, so none is sent again [MQTT-4.4.0-1].
 */
export class Window {
  readonly #max: number;
  readonly #awaited = new Map<number, Awaited>();
  #last = 0;

  /** @param max how many; there are no more than 65,535 ids */
  constructor(max: number) {
    this.#max = Math.min(max, LAST_ID);
  }

  get isFull(): boolean {
    return this.#awaited.size >= this.#max;
  }

  /** Takes an id that is not in use [MQTT-2.3.1-4]. The window must not be full. */
  take(qos: 1 | 2): number {
    do this.#last = this.#last === LAST_ID ? 1 : this.#last + 1;
    while (this.#awaited.has(this.#last));
    this.#awaited.set(this.#last, qos === 1 ? "puback" : "pubrec");
    return this.#last;
  }

  /** The message with this id was not sent. */
  forget(id: number): void {
    this.#awaited.delete(id);
  }

  /** The client has sent this acknowledgement. One that is not awaited changes nothing. @returns whether the message is over */
  acknowledged(id: number, type: Awaited): boolean {
    if (this.#awaited.get(id) !== type) return false;
    if (type !== "pubrec") return this.#awaited.delete(id);
    this.#awaited.set(id, "pubcomp");
    return false;
  }
}
