import { NativeSelect, NumberInput } from "@mantine/core";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
import type { Group } from "../../api/people/groups.ts";
import { boundsOf } from "../../parts/form/rules.ts";
import { Action, Notice } from "../../ui/ui.ts";
import { NOTIFY } from "../../words/on-call.ts";
import "./group.css";

export type Step = Group["escalation"][number];

const CHOICES = Object.entries(NOTIFY).map(([value, label]) => ({ value, label }));
const NEXT_MINUTES = 15;

interface StepsProps {
  steps: readonly Step[];
  /** The reason why the steps are wrong. */
  error: React.ReactNode;
  onChange: (steps: Step[]) => void;
}

/** The steps of an escalation, each later than the one before. */
export function EscalationSteps({ steps, error, onChange }: StepsProps) {
  const most = boundsOf("updateGroup", "escalation").maxItems ?? Number.POSITIVE_INFINITY;
  return (
    <>
      {steps.map((step, at) => (
        <StepFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity
          key={at}
          at={at}
          step={step}
          wrong={error !== undefined && isTooEarly(steps, at)}
          onChange={(changed) => onChange(steps.with(at, changed))}
          onRemove={() => onChange(steps.filter((_, other) => other !== at))}
        />
      ))}
      {error && (
        <Notice tone="bad" live>
          {error}
        </Notice>
      )}
      {steps.length === 0 && <p className="soft">{t.withoutAStepTheGroup}</p>}
      <div>
        <Action
          label={t.addAStep}
          disabled={steps.length >= most}
          onClick={() => onChange([...steps, nextStep(steps)])}
        />
      </div>
    </>
  );
}

function nextStep(steps: readonly Step[]): Step {
  return { afterMinutes: (steps.at(-1)?.afterMinutes ?? -NEXT_MINUTES) + NEXT_MINUTES, notify: "members" };
}

interface StepFieldsProps {
  at: number;
  step: Step;
  wrong: boolean;
  onChange: (step: Step) => void;
  onRemove: () => void;
}

function StepFields({ at, step, wrong, onChange, onRemove }: StepFieldsProps) {
  return (
    <div className="group-step">
      <NumberInput
        label={at === 0 ? t.afterMinutes : t.stepAfterMinutes(at + 1)}
        min={0}
        allowDecimal={false}
        value={step.afterMinutes}
        error={wrong}
        onChange={(value) => onChange({ ...step, afterMinutes: Number(value) })}
      />
      <NativeSelect
        label={at === 0 ? t.page : t.stepPage(at + 1)}
        data={CHOICES}
        value={step.notify}
        onChange={(event) => onChange({ ...step, notify: event.currentTarget.value as Step["notify"] })}
      />
      <Action label={common.remove} aria-label={t.removeStep(at + 1)} onClick={onRemove} />
    </div>
  );
}

function isTooEarly(steps: readonly Step[], at: number): boolean {
  return at > 0 && steps[at]!.afterMinutes <= steps[at - 1]!.afterMinutes;
}

/** Returns why the steps cannot be saved, or null. */
export function inOrder(steps: readonly Step[]): string | null {
  return steps.some((_, at) => isTooEarly(steps, at)) ? t.eachStepMustBeLater : null;
}
