type Awaited = "puback" | "pubrec" | "pubcomp";

const LAST_ID = 0xffff;

/** The packet ids of messages that a client has been sent but has not acknowledged. */
export class Window {
  readonly #max: number;
  readonly #awaited = new Map<number, Awaited>();
  /** The ids of messages to be sent again under them [MQTT-4.4.0-1]. */
  #reserved: Set<number> | undefined;
  #last = 0;

  /** @param max the number of ids in use; there are 65,535 at most */
  constructor(max: number) {
    this.#max = Math.min(max, LAST_ID);
  }

  get isFull(): boolean {
    return this.#awaited.size >= this.#max;
  }

  /** Allocates an id that is not in use [MQTT-2.3.1-4]. The window must not be full. */
  take(qos: 1 | 2): number {
    do this.#last = this.#last === LAST_ID ? 1 : this.#last + 1;
    while (this.#awaited.has(this.#last) || this.#reserved?.has(this.#last));
    this.#awaited.set(this.#last, qos === 1 ? "puback" : "pubrec");
    return this.#last;
  }

  /** Reserves an id for a message that will be sent again. */
  reserve(id: number): void {
    this.#reserved ??= new Set();
    this.#reserved.add(id);
  }

  /** Uses a reserved id. @param isReleased whether the client has received the message (QoS 2) */
  takeAgain(id: number, qos: 1 | 2, isReleased = false): number {
    this.#reserved?.delete(id);
    this.#awaited.set(id, isReleased ? "pubcomp" : qos === 1 ? "puback" : "pubrec");
    return id;
  }

  /** Whether the client has received the QoS 2 message with this id. */
  isReleased(id: number): boolean {
    return this.#awaited.get(id) === "pubcomp";
  }

  /** Frees the id of a message that was not sent after all. */
  forget(id: number): void {
    this.#awaited.delete(id);
  }

  /**
   * Whether this acknowledgement is invalid in the current state of the message with this id. A PUBREC may be repeated.
   */
  contradicts(id: number, type: Awaited): boolean {
    const awaited = this.#awaited.get(id);
    if (awaited === undefined || awaited === type) return false;
    return !(awaited === "pubcomp" && type === "pubrec");
  }

  /** Applies an acknowledgement; an unexpected one changes nothing. @returns whether the message is complete */
  acknowledged(id: number, type: Awaited): boolean {
    if (this.#awaited.get(id) !== type) return false;
    if (type !== "pubrec") return this.#awaited.delete(id);
    this.#awaited.set(id, "pubcomp");
    return false;
  }
}
