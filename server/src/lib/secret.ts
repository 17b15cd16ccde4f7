import { inspect } from "node:util";

/** A value that must never be printed: logging, JSON and string conversion all show `[secret]`. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** Returns the value itself. Call it only where the value is used, so that it does not spread. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
