export type Qos = 0 | 1 | 2;

/** A message on its way to subscribers. */
export class Message {
  readonly topic: string;
  readonly qos: Qos;
  #payload: Buffer;
  #isShared = true;

  /** @param payload shares the memory of the packet that it arrived in */
  constructor(topic: string, payload: Buffer, qos: Qos) {
    this.topic = topic;
    this.qos = qos;
    this.#payload = payload;
  }

  get payload(): Buffer {
    return this.#payload;
  }

  /** For a message that is to stay: gives the payload memory of its own, so that it does not keep that of a whole packet. */
  own(): this {
    if (this.#isShared) this.#payload = Buffer.from(this.#payload);
    this.#isShared = false;
    return this;
  }
}
