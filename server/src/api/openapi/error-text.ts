/** The reference's text about one error code; backticks mark code. */
export interface ErrorText {
  /** One sentence that says what happened. */
  summary: string;
  /** Additional information, if any. */
  more?: string;
  /** The remedy. */
  remedy: string;
  /** Whether the same request may succeed when it is resent, and when. */
  again: "no" | "later" | "after a change elsewhere";
  /** The meaning of `detail`, if it is more than the wrong value. */
  detail?: string;
  /** The headers of the answer. */
  headers?: Record<string, string>;
  /** The place of the error, if no operation in particular may answer it. */
  anywhere?: string;
}
