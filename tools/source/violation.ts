/** A violation of a rule of `npm run check`. */
export interface Violation {
  /** The path relative to the checked root, with `/`. */
  file: string;
  /** Counts from 1. */
  line: number;
  rule: string;
  message: string;
  /** The subject of the violation: a table, a function, a word. */
  subject?: string;
}

/** A rule's message about one file, before the file's name is added. */
export type Finding = Omit<Violation, "file">;

/** Sorts by file and line. */
export function inOrder(violations: readonly Violation[]): Violation[] {
  return [...violations].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}
