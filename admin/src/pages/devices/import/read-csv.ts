/**
 * Reads CSV (RFC 4180) with the separator of its first line: a comma, semicolon or tab.
 *
 * @returns the cells of each line, without empty lines
 */
export function readCsv(text: string): string[][] {
  const plain = text.replace(/^\uFEFF/, "");
  const separator = separatorOf(plain);
  const lines: string[][] = [[]];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (plain[at + 1] === '"') cell += plain[at++];
      else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === separator) {
      lines.at(-1)!.push(cell);
      cell = "";
    } else if (character === "\n" || character === "\r") {
      if (character === "\r" && plain[at + 1] === "\n") at++;
      lines.at(-1)!.push(cell);
      lines.push([]);
      cell = "";
    } else cell += character;
  }
  lines.at(-1)!.push(cell);
  return lines.filter((cells) => cells.some((each) => each.trim() !== ""));
}

function separatorOf(text: string): string {
  const first = text.split(/[\r\n]/, 1)[0]!;
  const counted = [",", ";", "\t"].map((each) => [each, first.split(each).length] as const);
  return counted.sort(([, a], [, b]) => b - a)[0]![0];
}
