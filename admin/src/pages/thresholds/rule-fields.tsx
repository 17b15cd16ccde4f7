import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/thresholds.ts";
import { LIMITS } from "../../api/limits.ts";
import { Action } from "../../ui/ui.ts";
import { SEVERITIES } from "../../words/monitoring.ts";
import { OPERATORS } from "../../words/rules.ts";
import { type ConditionValues, isEquality, isOrder, NEW_CONDITION, type ThresholdValues } from "./rule-values.ts";
import "../../parts/form/framed-fields.css";

interface RuleFieldsProps {
  form: UseFormReturnType<ThresholdValues>;
  /** The position of the rule. */
  at: number;
  /** Absent for the only rule. */
  onRemove: (() => void) | undefined;
}

const choices = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const OPERATOR_CHOICES = choices(OPERATORS);
const AGE_CHOICES = OPERATOR_CHOICES.filter(({ value }) => value === "gt" || value === "gte");
const MEASURED_CHOICES = OPERATOR_CHOICES.filter(({ value }) => value !== "eq" && value !== "ne");
const MEASURE_CHOICES = choices({
  "": t.theReading,
  change: t.itsChange,
  rate: t.itsRate,
  age: t.theTimeWithoutIt,
  deviation: t.theDifferenceFromAverage,
});
const PER_CHOICES = choices({ second: t.perSecond, minute: t.perMinute, hour: t.perHour });
const COMBINE_CHOICES = choices({ and: t.allConditions, or: t.anyCondition });
const SEVERITY_CHOICES = Object.entries(SEVERITIES).map(([value, [, label]]) => ({ value, label }));

/** The fields of one rule, in the order of a sentence. */
export function RuleFields({ form, at, onRemove }: RuleFieldsProps) {
  const { further } = form.getValues().rules[at]!;
  const path = `rules.${at}`;
  const props = (field: string) => form.getInputProps(`${path}.${field}`);
  const isFull = further.length >= LIMITS.conditionsOfRule - 1;
  return (
    <fieldset className="framed-fields framed">
      <legend>{t.rule(at + 1)}</legend>
      <div className="stack">
        <ConditionFields form={form} path={path} condition={form.getValues().rules[at]!} />
        {further.map((condition, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no id, and its fields follow its place
          <fieldset className="framed-fields framed" key={n}>
            <legend>{t.condition(n + 2)}</legend>
            <div className="stack">
              <ConditionFields form={form} path={`${path}.further.${n}`} condition={condition} />
              <div>
                <Action
                  small
                  label={common.remove}
                  onClick={() => form.removeListItem(`${path}.further`, n)}
                  aria-label={t.removeCondition(n + 2)}
                />
              </div>
            </div>
          </fieldset>
        ))}
        <div className="fields-grid">
          {further.length > 0 && <NativeSelect label={t.brokenBy} data={COMBINE_CHOICES} {...props("combine")} />}
          <TextInput label={t.forSeconds} inputMode="numeric" {...props("forSeconds")} />
          <TextInput label={t.clearsAfterSeconds} inputMode="numeric" {...props("clearForSeconds")} />
          <NativeSelect label={t.severity} data={SEVERITY_CHOICES} {...props("severity")} />
          <TextInput label={t.message} placeholder={t.aSentenceMadeFromThe} {...props("message")} />
        </div>
        <div className="row">
          <Action
            small
            label={t.addACondition}
            disabled={isFull}
            onClick={() => form.insertListItem(`${path}.further`, NEW_CONDITION)}
            aria-label={t.addAConditionTo(at + 1)}
          />
          {onRemove && <Action small label={t.removeTheRule} onClick={onRemove} aria-label={t.removeRule(at + 1)} />}
        </div>
      </div>
    </fieldset>
  );
}

interface ConditionFieldsProps {
  form: UseFormReturnType<ThresholdValues>;
  /** The condition's place in the form: `rules.0`. */
  path: string;
  condition: ConditionValues;
}

/** Chooses the measure, the comparison and the limit. */
function ConditionFields({ form, path, condition: { operator, measure } }: ConditionFieldsProps) {
  const props = (field: string) => form.getInputProps(`${path}.${field}`);
  const isRange = operator === "outside";
  const isChange = measure === "change" || measure === "rate";
  const operators = measure === "age" ? AGE_CHOICES : measure === "" ? OPERATOR_CHOICES : MEASURED_CHOICES;
  const setMeasure = (next: ConditionValues["measure"]) => {
    form.setFieldValue(`${path}.measure`, next);
    if (next === "age" || (next !== "" && isEquality(operator))) form.setFieldValue(`${path}.operator`, "gt");
  };
  return (
    <>
      <div className="fields-grid">
        <TextInput label={common.metric} placeholder={t.temperature} spellCheck={false} {...props("metric")} />
        <NativeSelect
          label={t.compares}
          data={MEASURE_CHOICES}
          {...props("measure")}
          onChange={(event) => setMeasure(event.currentTarget.value as ConditionValues["measure"])}
        />
        {isChange && <TextInput label={t.overSeconds} inputMode="numeric" {...props("overSeconds")} />}
        {measure === "rate" && <NativeSelect label={t.per} data={PER_CHOICES} {...props("per")} />}
        {measure === "deviation" && <TextInput label={t.daysOfAverage} inputMode="numeric" {...props("days")} />}
        <NativeSelect label={t.brokenWhenIt} data={operators} {...props("operator")} />
        <TextInput
          label={isRange ? t.lowest : measure === "age" ? t.limitInSeconds : common.limit}
          inputMode={isEquality(operator) ? "text" : "decimal"}
          {...props("value")}
        />
        {isRange && <TextInput label={t.highest} inputMode="decimal" {...props("high")} />}
      </div>
      {isChange && <Checkbox label={t.onlyCountsUp} {...form.getInputProps(`${path}.counter`, { type: "checkbox" })} />}
      <div className="fields-grid">
        {isOrder(operator) && (
          <TextInput label={t.limitInMetadata} placeholder={t.none} spellCheck={false} {...props("metadata")} />
        )}
        {!isEquality(operator) && (
          <TextInput
            label={isRange ? t.clearsAtLowest : t.clearsAt}
            placeholder={t.theLimit}
            inputMode="decimal"
            {...props("clearValue")}
          />
        )}
        {isRange && (
          <TextInput label={t.clearsAtHighest} placeholder={t.theLimit} inputMode="decimal" {...props("clearHigh")} />
        )}
        {isOrder(operator) && (
          <TextInput label={t.clearInMetadata} placeholder={t.none} spellCheck={false} {...props("clearMetadata")} />
        )}
      </div>
    </>
  );
}
