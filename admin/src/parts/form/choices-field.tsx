import { Checkbox, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import "./choices-field.css";

/** What a field of a form is given, with the ids that are chosen. */
export interface ChosenIds {
  label: string;
  description?: ReactNode;
  value?: string[];
  onChange: (ids: string[]) => void;
  error?: ReactNode;
}

interface ChoicesFieldProps extends ChosenIds {
  choices: readonly { id: string; label: string }[];
  /** Shown in place of the choices when there is none. */
  none: string;
  /** A field above the choices that searches them. */
  search?: ReactNode;
}

/** Chooses several of a list, each by a checkbox. */
export function ChoicesField({ value = [], choices, none, search, ...field }: ChoicesFieldProps) {
  return (
    <Checkbox.Group value={value} {...field}>
      <div className="choices-field">
        {search}
        {choices.length === 0 && <p className="soft">{none}</p>}
        <div className="choices-field-list">
          {choices.map(({ id, label }) => (
            <Checkbox key={id} value={id} label={label} />
          ))}
        </div>
      </div>
    </Checkbox.Group>
  );
}

interface SearchFieldProps {
  label: string;
  text: string;
  onText: (text: string) => void;
}

/** Searches the choices below it. */
export function SearchField({ label, text, onText }: SearchFieldProps) {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}
