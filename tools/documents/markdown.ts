/** A link of a Markdown page: `[text](target)`, including images. */
export interface Link {
  target: string;
  line: number;
}

const LINK = /\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?: "[^"]*")?\)/g;
const HEADING = /^#{1,6} +(.+?) *#*$/gm;
const EXPLICIT_ANCHOR = /<a (?:id|name)="([^"]+)"/g;

/** Returns the links of `text` outside of code, in order. */
export function linksOf(text: string): Link[] {
  const prose = withoutCode(text);
  return [...prose.matchAll(LINK)].map(({ 1: target, index }) => {
    return { target: target!, line: prose.slice(0, index).split("\n").length };
  });
}

/** Returns the anchors of `text` as GitHub creates them: one per heading, numbered if it repeats, and explicit ones. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutFences(text).matchAll(HEADING)) {
    const slug = slugOf(heading!);
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  for (const [, anchor] of text.matchAll(EXPLICIT_ANCHOR)) anchors.add(anchor!);
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** Replaces the code in `text` with blanks, so that lines keep their numbers. */
function withoutCode(text: string): string {
  return withoutFences(text).replace(/`[^`\n]*`/g, blank);
}

function withoutFences(text: string): string {
  return text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** A fenced block of code. */
export interface Fence {
  /** The text after the fence: a language, and more. */
  info: string;
  /** Its text without the indent of the fence. */
  body: string;
  /** The line of the opening fence, counted from 1. */
  line: number;
}

/** Returns the fenced blocks of `text` in order, indented ones too. */
export function fencesOf(text: string): Fence[] {
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```/gm)].map(({ 1: indent, 2: info, 3: body, index }) => {
    const plain = body!.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return { info: info!.trim(), body: plain, line: text.slice(0, index).split("\n").length };
  });
}
