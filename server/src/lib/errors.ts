/**
 * An error whose code and message the caller may see. Features throw it with a code of their `errors.ts`; only the API's `problem.ts`
 * maps codes to HTTP statuses. Every other error becomes a bare 500.
 *
 * The message is made a full sentence (docs/api-conventions.md).
 */
export class MusterError<Code extends string = string> extends Error {
  override readonly name = "MusterError";
  readonly code: Code;
  /** Machine-readable part for the caller, e.g. the unknown group id (spec 7, `detail`). */
  readonly detail: string | undefined;
  /** Further fields of the error body, e.g. `activeCount`. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: Code,
    message: string,
    more: { detail?: string; extra?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(sentence(message, more.detail), more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.detail = more.detail;
    this.extra = more.extra;
  }
}

/**
 * `text` with a capital at the start and a full stop at the end. A first word that is the name of a field (`detail`, or a word with
 * digits, dots or capitals) keeps its case.
 */
export function sentence(text: string, detail?: string): string {
  const [word] = /^[a-z]+(?![A-Za-z\d_./[-])/.exec(text) ?? [];
  const begun = word === undefined || word === detail ? text : text[0]!.toUpperCase() + text.slice(1);
  return /[.!?:…]$/.test(begun) ? begun : `${begun}.`;
}

/** Whether `error` is a {@link MusterError}, optionally of one of `codes`. */
export function isMusterError(error: unknown, ...codes: string[]): error is MusterError {
  return error instanceof MusterError && (codes.length === 0 || codes.includes(error.code));
}
