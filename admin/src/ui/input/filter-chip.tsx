import { Checkbox, NativeSelect, Radio, TextInput } from "@mantine/core";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "#texts/ui.ts";
import { type Filter, hasDefault, textOf, valuesOf } from "./filter.ts";
import { TextField } from "./filter-text.tsx";

interface FilterChipProps {
  filter: Filter;
  value: string;
  opened: boolean;
  onOpen: (opened: boolean) => void;
  onChange: (value: string) => void;
}

/** A filter that is set or being set: what it says, and below it, on a click, its choices. */
export function FilterChip({ filter, value, opened, onOpen, onChange }: FilterChipProps) {
  const element = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (!opened) return;
    element.current?.querySelector<HTMLElement>("select, input")?.focus();
    const close = ({ target }: Event) => {
      if (element.current?.contains(target as Node)) return;
      leaveField();
      onOpen(false);
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, [opened, onOpen]);
  const closes = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    leaveField();
    onOpen(false);
  };
  const said = sentenceOf(filter, value);
  return (
    <fieldset ref={element} className="filter-chip" aria-label={filter.label} onKeyDown={closes}>
      <button
        type="button"
        className="filter-chip-said"
        title={said}
        aria-expanded={opened}
        onClick={() => onOpen(!opened)}
      >
        {said}
      </button>
      {(value !== "" || !hasDefault(filter)) && (
        <button
          type="button"
          className="filter-chip-remove"
          aria-label={t.removeFilter(filter.label)}
          onClick={() => {
            onOpen(false);
            onChange("");
          }}
        >
          <span aria-hidden="true">✕</span>
        </button>
      )}
      {opened && (
        <div className="filter-chip-panel stack-tight framed">
          <Editor filter={filter} value={value} onChange={onChange} />
        </div>
      )}
    </fieldset>
  );
}

/** Takes the focus from a field before its panel closes: a text field applies its text when it loses the focus. */
function leaveField(): void {
  (document.activeElement as HTMLElement | null)?.blur();
}

/** `Connection is not online, offline` */
function sentenceOf(filter: Filter, value: string): string {
  if (value === "")
    return filter.kind === "choice" && filter.unset ? t.filterIs(filter.label, filter.unset) : filter.label;
  if (filter.kind === "time") return t.filterSays(filter.label, value.replace("T", " "));
  if (filter.kind === "text") return t.filterIs(filter.label, value);
  const { isNot, values } = valuesOf(value);
  const names = new Map(filter.options);
  const text = values.map((each) => names.get(each) ?? each).join(", ");
  return isNot ? t.filterIsNot(filter.label, text) : t.filterIs(filter.label, text);
}

type EditorProps = Pick<FilterChipProps, "filter" | "value" | "onChange">;

function Editor({ filter, value, onChange }: EditorProps) {
  if (filter.kind === "text") return <TextField filter={filter} value={value} onChange={onChange} />;
  if (filter.kind === "choice") return <ChoiceEditor filter={filter} value={value} onChange={onChange} />;
  return (
    <TextInput
      type="datetime-local"
      label={filter.label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function ChoiceEditor({ filter, value, onChange }: EditorProps & { filter: Extract<Filter, { kind: "choice" }> }) {
  const present = valuesOf(value);
  const [isNot, setNot] = useState(present.isNot);
  const choose = (values: readonly string[], not = isNot) => onChange(textOf({ isNot: not, values }));
  const negate = (not: boolean) => {
    setNot(not);
    choose(present.values, not);
  };
  // A value of the address that is no option stays a choice, so that it can be taken back.
  const known = new Set(filter.options.map(([each]) => each));
  const others = present.values.filter((each) => !known.has(each)).map((each) => [each, each] as const);
  const options = [...filter.options, ...others];
  return (
    <>
      {filter.not && (
        <NativeSelect
          aria-label={t.condition}
          value={isNot ? "not" : "is"}
          onChange={(event) => negate(event.currentTarget.value === "not")}
          data={[
            { value: "is", label: t.is },
            { value: "not", label: t.isNot },
          ]}
        />
      )}
      <div className="filter-chip-choices stack-tight">
        {filter.many ? (
          <Checkbox.Group value={[...present.values]} onChange={(values) => choose(values)}>
            <div className="stack-tight">
              {options.map(([each, label]) => (
                <Checkbox key={each} value={each} label={label} />
              ))}
            </div>
          </Checkbox.Group>
        ) : (
          <Radio.Group value={present.values[0] ?? ""} onChange={(each) => choose([each])}>
            <div className="stack-tight">
              {options.map(([each, label]) => (
                <Radio key={each} value={each} label={label} />
              ))}
            </div>
          </Radio.Group>
        )}
        {options.length === 0 && <p className="soft">{t.noChoices}</p>}
      </div>
    </>
  );
}
