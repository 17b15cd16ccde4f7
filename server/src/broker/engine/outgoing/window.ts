type Awaited = "puback" | "pubrec" | "pubcomp";

const LAST_ID = 0xffff;

/** The packet ids of messages that a client has been sent and has not acknowledged. */
export class Window {
  readonly #max: number;
  readonly #awaited = new Map<number, Awaited>();
  /** Ids of messages that are to be sent again under them [MQTT-4.4.0-1]. */
  #reserved: Set<number> | undefined;
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
    while (this.#awaited.has(this.#last) || this.#reserved?.has(this.#last));
    this.#awaited.set(this.#last, qos === 1 ? "puback" : "pubrec");
    return this.#last;
  }

  /** Keeps an id for a message that is to be sent again. */
  reserve(id: number): void {
    this.#reserved ??= new Set();
    this.#reserved.add(id);
  }

  /** Takes a reserved id. @param isReleased the client has received the message (QoS 2) */
  takeAgain(id: number, qos: 1 | 2, isReleased = false): number {
    this.#reserved?.delete(id);
    this.#awaited.set(id, isReleased ? "pubcomp" : qos === 1 ? "puback" : "pubrec");
    return id;
  }

  /** The client has received the message with this id, of QoS 2. */
  isReleased(id: number): boolean {
    return this.#awaited.get(id) === "pubcomp";
  }

  /** The message with this id was not sent. */
  forget(id: number): void {
    this.#awaited.delete(id);
  }

  /** Whether the message with this id is open and has no such acknowledgement now. A PUBREC may be repeated. */
  contradicts(id: number, type: Awaited): boolean {
    const awaited = this.#awaited.get(id);
    if (awaited === undefined || awaited === type) return false;
    return !(awaited === "pubcomp" && type === "pubrec");
  }

  /** The client has sent this acknowledgement. One that is not awaited changes nothing. @returns whether the message is over */
  acknowledged(id: number, type: Awaited): boolean {
    if (this.#awaited.get(id) !== type) return false;
    if (type !== "pubrec") return this.#awaited.delete(id);
    this.#awaited.set(id, "pubcomp");
    return false;
  }
}
