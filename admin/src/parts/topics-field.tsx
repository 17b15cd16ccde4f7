import { Textarea, type TextareaProps } from "@mantine/core";

/** Asks for topics, one per line. */
export function TopicsField(props: TextareaProps) {
  return <Textarea {...props} autosize minRows={2} maxRows={8} spellCheck={false} autoComplete="off" />;
}

/** Returns the typed topics, without blank lines. */
export function topicsIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
