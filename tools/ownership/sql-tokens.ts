/** A token of SQL text. `hole` stands for an interpolated expression, whose text is unknown. */
export interface Token {
  kind: "word" | "quoted" | "hole" | "sign";
  /** Words in lower case, quoted identifiers unchanged. */
  text: string;
  /** The original spelling: keywords of this code base are upper case. */
  raw: string;
  offset: number;
}

/** Stands in SQL text for an interpolated expression. */
export const HOLE = "\u0000";

const PATTERN =
  /(?<skip>\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$\d+|\d[\w.]*)|"(?<quoted>[^"]+)"|(?<word>[A-Za-z_]\w*)|(?<sign>[\s\S])/g;

/** Splits SQL into words and signs. Comments, strings, numbers and positional parameters are omitted. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const { groups, index: offset } of sql.matchAll(PATTERN)) {
    const { quoted, word, sign } = groups!;
    if (quoted !== undefined) tokens.push({ kind: "quoted", text: quoted, raw: quoted, offset });
    else if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase(), raw: word, offset });
    else if (sign !== undefined) tokens.push({ kind: sign === HOLE ? "hole" : "sign", text: sign, raw: sign, offset });
  }
  return tokens;
}
