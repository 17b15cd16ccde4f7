import { Checkbox, NativeSelect, NumberInput } from "@mantine/core";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
import type { Versioned } from "../../api/client.ts";
import type { Group } from "../../api/people/groups.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { boundsOf } from "../../parts/form/rules.ts";
import { Action, Notice } from "../../ui/ui.ts";
import { ALWAYS_PAGES, NOTIFY } from "../../words/on-call.ts";
import { useGroupEdit } from "./use-group-edit.ts";
import "./group.css";

type Paging = Pick<Group, "escalation" | "pagesLostRenewals" | "tellsHandOvers" | "alwaysPages">;
type Step = Paging["escalation"][number];

const pagingOf = ({ escalation, pagesLostRenewals, tellsHandOvers, alwaysPages }: Paging): Paging => ({
  escalation,
  pagesLostRenewals,
  tellsHandOvers,
  alwaysPages,
});

const CHOICES = Object.entries(NOTIFY).map(([value, label]) => ({ value, label }));
const ALWAYS = Object.entries(ALWAYS_PAGES).map(([value, label]) => ({ value, label }));
const NEXT_MINUTES = 15;

/** The steps of an escalation, each later than the one before. */
export function EscalationForm({ opened, onClose }: { opened: Versioned<Group>; onClose: () => void }) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const escalation: Step[] = record.escalation.length > 0 ? record.escalation : [{ afterMinutes: 0, notify: "shift" }];
  const [form, field] = useFields<Paging>({ ...pagingOf(record), escalation }, undefined, { escalation: inOrder });
  const steps = form.getValues().escalation;
  const most = boundsOf("updateGroup", "escalation").maxItems ?? Number.POSITIVE_INFINITY;
  const set = (escalation: Step[]) => form.setFieldValue("escalation", escalation);
  const conflict = {
    load: async () => pagingOf(await load()),
    labels: {
      escalation: t.escalation,
      pagesLostRenewals: t.lostRenewals,
      tellsHandOvers: t.handOvers,
      alwaysPages: t.quietChoicesOfUsers,
    },
    show: (_: unknown, value: unknown) => shown(value as Paging[keyof Paging]),
  };
  return (
    <Form form={form} onSubmit={save} action={common.save} onCancel={onClose} conflict={conflict}>
      {steps.map((step, at) => (
        <StepFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity
          key={at}
          at={at}
          step={step}
          wrong={form.errors.escalation !== undefined && isTooEarly(steps, at)}
          onChange={(changed) => set(steps.with(at, changed))}
          onRemove={() => set(steps.filter((_, other) => other !== at))}
        />
      ))}
      {form.errors.escalation && (
        <Notice tone="bad" live>
          {form.errors.escalation}
        </Notice>
      )}
      {steps.length === 0 && <p className="soft">{t.withoutAStepTheGroup}</p>}
      <div>
        <Action label={t.addAStep} disabled={steps.length >= most} onClick={() => set([...steps, nextStep(steps)])} />
      </div>
      <Checkbox
        label={t.pageLostRenewalsAsWell}
        description={t.aCertificateThatADevice}
        {...field("pagesLostRenewals", { type: "checkbox" })}
      />
      <Checkbox
        label={t.tellOfHandOvers}
        description={t.bothGetAnEMail}
        {...field("tellsHandOvers", { type: "checkbox" })}
      />
      <NativeSelect
        label={t.quietChoicesOfUsers}
        description={t.usersMayChooseQuietHours}
        data={ALWAYS}
        {...field("alwaysPages")}
      />
    </Form>
  );
}

function shown(value: Paging[keyof Paging]): string {
  if (typeof value === "string") return ALWAYS_PAGES[value];
  return Array.isArray(value) ? t.steps(value.length) : value ? "paged" : t.notPaged;
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
function inOrder(steps: readonly Step[]): string | null {
  return steps.some((_, at) => isTooEarly(steps, at)) ? t.eachStepMustBeLater : null;
}
