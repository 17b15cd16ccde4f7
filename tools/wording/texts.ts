import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { documents, scripts, sqlFiles, writtenCode } from "../source/files.ts";
import { lineFinder, parse } from "../source/syntax.ts";
import { type DeclaredName, declaredNames, namesInSql } from "./names.ts";
import { commentsIn, commentsOf, type Prose, proseOf } from "./prose.ts";

/** The wording of one file. */
export interface Text {
  file: string;
  whole: string;
  /** Comments, sentences in strings, and pages as a whole. */
  prose: readonly Prose[];
  /** The part of the prose whose style is checked, and the comments of SQL in strings. */
  comments: readonly Prose[];
  /** Includes the file's own name. */
  names: readonly DeclaredName[];
  lineOf: (offset: number) => number;
}

const known = new Map<string, readonly Text[]>();

/** Returns the wording of every file under `root`: code, pages, scripts and SQL. Reads each root once. */
export function textsIn(root: string): readonly Text[] {
  const texts = known.get(root) ?? [
    ...writtenCode(root).map((file) => codeText(root, file)),
    ...documents(root).map((file) => {
      const text = wholeText(root, file);
      const prose = [{ text: text.whole, offset: 0, comment: true }];
      return { ...text, prose, comments: prose, names: [] };
    }),
    ...scripts(root).map((file) => commentText(root, file, "script")),
    ...sqlFiles(root).map((file) => commentText(root, file, "sql")),
  ];
  known.set(root, texts);
  return texts;
}

function codeText(root: string, file: string): Text {
  const source = parse(join(root, file));
  const names = [{ name: basename(file).replace(/\.tsx?$/, ""), line: 1 }, ...declaredNames(source)];
  const { text: whole, lineOf } = source;
  return { file, whole, prose: proseOf(source), comments: commentsOf(source), names, lineOf };
}

function commentText(root: string, file: string, language: "script" | "sql"): Text {
  const text = wholeText(root, file);
  const comments = commentsIn(text.whole, language);
  const names = language === "sql" ? namesInSql(text.whole, text.lineOf) : [];
  return { ...text, prose: comments, comments, names };
}

function wholeText(root: string, file: string): Pick<Text, "file" | "whole" | "lineOf"> {
  const whole = readFileSync(join(root, file), "utf8");
  return { file, whole, lineOf: lineFinder(whole) };
}
