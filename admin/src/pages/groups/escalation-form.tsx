import { Checkbox, NativeSelect, NumberInput } from "@mantine/core";
import type { Versioned } from "../../api/client.ts";
import type { Group } from "../../api/people/groups.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { boundsOf } from "../../parts/form/rules.ts";
import { Action, Notice } from "../../ui/ui.ts";
import { ALWAYS_PAGES, NOTIFY } from "../../words/on-call.ts";
import { useGroupEdit } from "./use-group-edit.ts";
import "./group.css";

type Paging = Pick<Group, "escalation" | "pagesLostRenewals" | "alwaysPages">;
type Step = Paging["escalation"][number];

const pagingOf = ({ escalation, pagesLostRenewals, alwaysPages }: Paging): Paging => ({
  escalation,
  pagesLostRenewals,
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
    labels: { escalation: "Escalation", pagesLostRenewals: "Lost renewals", alwaysPages: "Quiet choices of users" },
    show: (_: unknown, value: unknown) => shown(value as Paging[keyof Paging]),
  };
  return (
    <Form form={form} onSubmit={save} action="Save" onCancel={onClose} conflict={conflict}>
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
      {steps.length === 0 && <p className="soft">Without a step, the group sends no pages.</p>}
      <div>
        <Action label="Add a step" disabled={steps.length >= most} onClick={() => set([...steps, nextStep(steps)])} />
      </div>
      <Checkbox
        label="Page lost renewals as well"
        description="A certificate that a device has not renewed a day after it should have, and a bundle that ends within 30 days."
        {...field("pagesLostRenewals", { type: "checkbox" })}
      />
      <NativeSelect
        label="Quiet choices of users"
        description="Users may choose quiet hours, or pages on duty only. What is always sent is not held back by them."
        data={ALWAYS}
        {...field("alwaysPages")}
      />
    </Form>
  );
}

function shown(value: Paging[keyof Paging]): string {
  if (typeof value === "string") return ALWAYS_PAGES[value];
  return Array.isArray(value) ? `${value.length} steps` : value ? "paged" : "not paged";
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
        label={at === 0 ? "After minutes" : `Step ${at + 1}: after minutes`}
        min={0}
        allowDecimal={false}
        value={step.afterMinutes}
        error={wrong}
        onChange={(value) => onChange({ ...step, afterMinutes: Number(value) })}
      />
      <NativeSelect
        label={at === 0 ? "Page" : `Step ${at + 1}: page`}
        data={CHOICES}
        value={step.notify}
        onChange={(event) => onChange({ ...step, notify: event.currentTarget.value as Step["notify"] })}
      />
      <Action label="Remove" aria-label={`Remove step ${at + 1}`} onClick={onRemove} />
    </div>
  );
}

function isTooEarly(steps: readonly Step[], at: number): boolean {
  return at > 0 && steps[at]!.afterMinutes <= steps[at - 1]!.afterMinutes;
}

/** Returns why the steps cannot be saved, or null. */
function inOrder(steps: readonly Step[]): string | null {
  return steps.some((_, at) => isTooEarly(steps, at)) ? "Each step must be later than the one before." : null;
}
