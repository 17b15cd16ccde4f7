import { type Token, tokensOf } from "./sql-tokens.ts";

/** A place of an SQL text that names a table. */
export interface NamedTable {
  name: string;
  access: "read" | "write";
  offset: number;
}

/** Words before the name of a written table. Each is tried as a whole, the longest first. */
const WRITES = ["insert into", "merge into", "delete from", "truncate table", "truncate", "update", "alter table"];
/** Words that end a FROM or USING list at the same depth of parentheses. */
const AFTER_LIST =
  /^(where|group|order|having|limit|offset|fetch|for|union|except|intersect|window|returning|set|when|select)$/;
/** Functions whose arguments may contain FROM. */
const FROM_IN_CALL = /^(extract|substring|trim|overlay)$/;
const BEFORE_NAME = /^(only|lateral|table|public)$/;

/**
 * Returns every place of `sql` that reads or writes something by name: a table, a view, or a CTE of another text. Names
 * of CTEs that the text itself defines are omitted after their definition; the caller knows whether another name is a
 * table.
 *
 * It reads text without a grammar, so fragments of statements are valid.
 * @param anyCase whether lower-case keywords count; otherwise `to merge into devices` in a message names no table
 */
export function tablesNamed(sql: string, anyCase = false): NamedTable[] {
  const tokens = tokensOf(sql);
  const reading = new Reading(tokens, anyCase);
  for (let at = 0; at < tokens.length; at++) reading.step(at);
  return reading.found;
}

interface Parenthesis {
  /** The word before it: the function of a call. */
  before: string | undefined;
  /** Set while the list after FROM or USING continues at this depth. */
  list: boolean;
  /** The CTE whose body this is. */
  cte: string | undefined;
}

class Reading {
  readonly found: NamedTable[] = [];
  readonly #tokens: readonly Token[];
  readonly #anyCase: boolean;
  readonly #open: Parenthesis[] = [{ before: undefined, list: false, cte: undefined }];
  readonly #ctes = new Set<string>();

  constructor(tokens: readonly Token[], anyCase: boolean) {
    this.#tokens = tokens;
    this.#anyCase = anyCase;
  }

  step(at: number): void {
    const token = this.#tokens[at]!;
    const inner = this.#open.at(-1)!;
    if (token.text === "(") this.#opened(at);
    else if (token.text === ")") this.#closed();
    else if (token.text === "," && inner.list) this.#name(at + 1, "read");
    else if (token.text === ";") inner.list = false;
    else if (this.#isKeyword(token)) this.#keyword(at, token.text, inner);
  }

  #keyword(at: number, word: string, inner: Parenthesis): void {
    if (AFTER_LIST.test(word)) inner.list = false;
    const write = WRITES.find((phrase) => this.#phrase(at, phrase));
    if (write !== undefined) {
      if (this.#isStatement(at)) this.#name(at + write.split(" ").length, "write");
    } else if (word === "join") {
      this.#name(at + 1, "read");
    } else if (word === "using" || (word === "from" && this.#isFromList(at, inner))) {
      inner.list = true;
      this.#name(at + 1, "read");
    }
  }

  /** Whether UPDATE names no table, as in `FOR UPDATE`, `DO UPDATE SET` and `THEN UPDATE SET`. */
  #isStatement(at: number): boolean {
    return !/^(for|key|do|then|on|after|before|or)$/.test(this.#tokens[at - 1]?.text ?? "");
  }

  #isFromList(at: number, inner: Parenthesis): boolean {
    const before = this.#tokens[at - 1]?.text;
    if (before === "distinct" || before === "delete") return false;
    const called = inner.before !== undefined && FROM_IN_CALL.test(inner.before);
    return !called || this.#startsWithSelect(at);
  }

  /** Returns whether a SELECT is between the open parenthesis and `at`. */
  #startsWithSelect(at: number): boolean {
    for (let before = at - 1, depth = 0; before >= 0; before--) {
      const { text } = this.#tokens[before]!;
      if (text === ")") depth++;
      else if (text === "(" && depth-- === 0) return this.#tokens[before + 1]?.text === "select";
    }
    return false;
  }

  #name(at: number, access: "read" | "write"): void {
    let token = this.#tokens[at];
    for (; token; token = this.#tokens[++at]) {
      if (!(BEFORE_NAME.test(token.text) || token.text === "." || token.text === "(")) break;
    }
    if (token?.kind !== "word" && token?.kind !== "quoted") return;
    if (this.#tokens[at + 1]?.text === "(" && access === "read") return;
    if (!this.#ctes.has(token.text)) this.found.push({ name: token.text, access, offset: token.offset });
  }

  #opened(at: number): void {
    const before = this.#tokens[at - 1];
    this.#open.push({
      before: before?.kind === "word" ? before.text : undefined,
      list: false,
      cte: cteNamed(this.#tokens, at)?.text,
    });
  }

  #closed(): void {
    if (this.#open.length === 1) return;
    const { cte } = this.#open.pop()!;
    if (cte !== undefined) this.#ctes.add(cte);
  }

  #phrase(at: number, phrase: string): boolean {
    return phrase
      .split(" ")
      .every((word, index) => this.#tokens[at + index]?.text === word && this.#isKeyword(this.#tokens[at + index]!));
  }

  #isKeyword({ kind, raw }: Token): boolean {
    return kind === "word" && (this.#anyCase || raw === raw.toUpperCase());
  }
}

/**
 * Returns the name of the CTE whose body begins with the parenthesis at `at`: `name AS (`, `name (columns) AS (`,
 * `name AS MATERIALIZED (`.
 */
export function cteNamed(tokens: readonly Token[], at: number): Token | undefined {
  let before = at - 1;
  while (/^(not|materialized)$/.test(tokens[before]?.text ?? "")) before--;
  if (tokens[before]?.text !== "as") return undefined;
  before--;
  if (tokens[before]?.text === ")") while (tokens[before] && tokens[before--]!.text !== "(");
  const name = tokens[before];
  return name?.kind === "word" || name?.kind === "quoted" ? name : undefined;
}
