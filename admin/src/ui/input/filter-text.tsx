import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { t } from "#texts/ui.ts";
import type { Filter } from "./filter.ts";

const TYPING_MS = 300;

/** A text filter, applied when the user pauses, presses Enter or leaves the field. */
export function TextField({
  filter,
  value,
  onChange,
}: {
  filter: Extract<Filter, { kind: "text" }>;
  value: string;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const apply = () => text !== value && onChange(text);
  return (
    <TextInput
      type="search"
      label={filter.label}
      placeholder={filter.not ? t.or(filter.placeholder ?? "") : filter.placeholder}
      title={filter.not ? t.withBeforeItAllOthers : undefined}
      maxLength={filter.maxLength}
      value={text}
      onBlur={apply}
      onKeyDown={(event) => event.key === "Enter" && apply()}
      onChange={(event) => setText(event.currentTarget.value)}
      data-filter="text"
      aria-keyshortcuts="/"
    />
  );
}
