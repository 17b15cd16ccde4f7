import { Textarea, type TextareaProps } from "@mantine/core";

/** Asks for values, one per line. */
export function LinesField(props: TextareaProps) {
  return <Textarea {...props} autosize minRows={2} maxRows={8} spellCheck={false} autoComplete="off" />;
}

/** Returns the typed lines, without blank lines. */
export function linesIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
