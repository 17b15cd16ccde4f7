/** Something that a rule of `npm run check` refuses. */
export interface Violation {
  /** Relative to the checked root, with `/`. */
  file: string;
  /** Counts from 1. */
  line: number;
  rule: string;
  message: string;
  /** What the violation is about: a table, a function, a word. */
  subject?: string;
}

/** What a rule says of one file, before the file's name is added. */
export type Finding = Omit<Violation, "file">;

/** In the order of files and lines. */
export function inOrder(violations: readonly Violation[]): Violation[] {
  return [...violations].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}
