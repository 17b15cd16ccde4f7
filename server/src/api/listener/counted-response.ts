import { ServerResponse } from "node:http";

/** A response that reports each write, so that unsent bytes can be counted. */
export class CountedResponse extends ServerResponse {
  /** Called after each write. */
  onWritten: (() => void) | undefined;

  // biome-ignore lint/suspicious/noExplicitAny: Node's overloads are handed on as they are
  override write(chunk: any, encoding?: any, callback?: any): boolean {
    const more = super.write(chunk, encoding, callback);
    this.onWritten?.();
    return more;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Node's overloads are handed on as they are
  override end(chunk?: any, encoding?: any, callback?: any): this {
    super.end(chunk, encoding, callback);
    this.onWritten?.();
    return this;
  }
}
