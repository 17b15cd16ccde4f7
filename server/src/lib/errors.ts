/**
 * An error whose code and message the caller may see. Features throw it with a code of their `errors.ts`; only the
 * API's `problem.ts` maps codes to HTTP statuses. Every other error becomes a bare 500.
 *
 * The constructor turns the message into a full sentence (docs/api-conventions.md).
 */
export class MusterError<Code extends string = string> extends Error {
  override readonly name = "MusterError";
  readonly code: Code;
  /** The machine-readable part for the caller, e.g. the unknown group id (spec 7, `detail`). */
  readonly detail: string | undefined;
  /** Additional fields of the error body, e.g. `activeCount`. */
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
 * Capitalizes `text` and ends it with a full stop. A first word that is the name of a field (`detail`, or a word with
 * digits, dots or capitals) keeps its case.
 */
export function sentence(text: string, detail?: string): string {
  const [word] = /^[a-z]+(?![A-Za-z\d_./[-])/.exec(text) ?? [];
  const begun = word === undefined || word === detail ? text : text[0]!.toUpperCase() + text.slice(1);
  return /[.!?:…]$/.test(begun) ? begun : `${begun}.`;
}

/** Reports whether `error` is a {@link MusterError}, optionally with one of `codes`. */
export function isMusterError(error: unknown, ...codes: string[]): error is MusterError {
  return error instanceof MusterError && (codes.length === 0 || codes.includes(error.code));
}
