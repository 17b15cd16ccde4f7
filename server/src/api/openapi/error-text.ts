/** What the reference says of one error code; backticks mark code. */
export interface ErrorText {
  /** One sentence: what happened. */
  summary: string;
  /** What more there is to know, if anything. */
  more?: string;
  /** What to do about it. */
  remedy: string;
  /** Whether the very same request may succeed when it is sent again, and when. */
  again: "no" | "later" | "after a change elsewhere";
  /** What `detail` is, where there is more to say of it than that it is wrong. */
  detail?: string;
  /** Headers that come with it. */
  headers?: Record<string, string>;
  /** Said where no operation in particular may answer it. */
  anywhere?: string;
}
