import { ServerResponse } from "node:http";

/**
 * The number of bytes written at once. Node keeps a buffer as large as a connection's largest write until the
 * connection ends: a thousand clients that each loaded a file of 360 KB would cost the process 360 MB.
 */
const SLICE_BYTES = 16 * 1024;

/** A response that reports each write, so that unsent bytes can be counted, and that writes large bodies in slices. */
export class CountedResponse extends ServerResponse {
  /** Called once the answer is complete, although its client may not have read it. */
  onComplete: (() => void) | undefined;
  /** Called after each write. */
  onWritten: (() => void) | undefined;
  /** Decides when the next slices of a large body are written, once its client has read the previous ones. */
  onDrained: (proceed: () => void) => void = (proceed) => proceed();
  /** The length of the body so far. */
  bodyBytes = 0;

  // biome-ignore lint/suspicious/noExplicitAny: Node's overloads are handed on as they are
  override write(chunk: any, encoding?: any, callback?: any): boolean {
    this.bodyBytes += chunk.length;
    const more = super.write(chunk, encoding, callback);
    this.onWritten?.();
    return more;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Node's overloads are handed on as they are
  override end(chunk?: any, encoding?: any, callback?: any): this {
    this.onComplete?.();
    if (chunk instanceof Uint8Array && chunk.length > SLICE_BYTES) {
      if (!this.headersSent && !this.hasHeader("content-length")) this.setHeader("content-length", chunk.length);
      this.#writeSlices(chunk, 0, typeof encoding === "function" ? encoding : callback);
      return this;
    }
    if (chunk && typeof chunk !== "function") this.bodyBytes += chunk.length;
    super.end(chunk, encoding, callback);
    this.onWritten?.();
    return this;
  }

  #writeSlices(body: Uint8Array, from: number, callback?: () => void): void {
    let at = from;
    while (at < body.length) {
      const isWritten = this.write(body.subarray(at, at + SLICE_BYTES));
      at += SLICE_BYTES;
      if (isWritten || at >= body.length) continue;
      this.once("drain", () => this.onDrained(() => this.#writeSlices(body, at, callback)));
      return;
    }
    this.end(callback);
  }
}
