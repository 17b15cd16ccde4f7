import { Button, NativeSelect, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { SEVERITIES } from "../../words/monitoring.ts";
import { OPERATORS } from "../../words/rules.ts";
import { isEquality } from "./rule-values.ts";
import type { ThresholdValues } from "./threshold-values.ts";
import "./rule-fields.css";

interface RuleFieldsProps {
  form: UseFormReturnType<ThresholdValues>;
  /** The place of the rule. */
  at: number;
  /** Absent for the only one. */
  onRemove: (() => void) | undefined;
}

const OPERATOR_CHOICES = Object.entries(OPERATORS).map(([value, label]) => ({ value, label }));
const SEVERITY_CHOICES = Object.entries(SEVERITIES).map(([value, [, label]]) => ({ value, label }));

/** The fields of one rule, as a sentence would have them. */
export function RuleFields({ form, at, onRemove }: RuleFieldsProps) {
  const { operator } = form.getValues().rules[at]!;
  const props = (field: string) => form.getInputProps(`rules.${at}.${field}`);
  const isRange = operator === "outside";
  return (
    <fieldset className="rule">
      <legend>Rule {at + 1}</legend>
      <div className="stack">
        <div className="rule-grid">
          <TextInput label="Metric" placeholder="temperature" spellCheck={false} {...props("metric")} />
          <NativeSelect label="Broken when it" data={OPERATOR_CHOICES} {...props("operator")} />
          <TextInput label={isRange ? "Lowest" : "Limit"} inputMode={modeOf(operator)} {...props("value")} />
          {isRange && <TextInput label="Highest" inputMode="decimal" {...props("high")} />}
          <TextInput label="For seconds" inputMode="numeric" {...props("forSeconds")} />
          <NativeSelect label="Severity" data={SEVERITY_CHOICES} {...props("severity")} />
        </div>
        <div className="rule-grid">
          {!isEquality(operator) && (
            <TextInput
              label={isRange ? "Clears at lowest" : "Clears at"}
              placeholder="the limit"
              inputMode="decimal"
              {...props("clearValue")}
            />
          )}
          {isRange && (
            <TextInput label="Clears at highest" placeholder="the limit" inputMode="decimal" {...props("clearHigh")} />
          )}
          <TextInput label="Clears after seconds" inputMode="numeric" {...props("clearForSeconds")} />
          <TextInput label="Message" placeholder="a sentence made from the rule" {...props("message")} />
        </div>
        {onRemove && (
          <div>
            <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove rule ${at + 1}`}>
              Remove
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  );
}

function modeOf(operator: keyof typeof OPERATORS): "decimal" | "text" {
  return isEquality(operator) ? "text" : "decimal";
}
