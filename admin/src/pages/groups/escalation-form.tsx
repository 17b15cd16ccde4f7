import { Checkbox, NativeSelect } from "@mantine/core";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
import type { Versioned } from "../../api/client.ts";
import type { Group } from "../../api/people/groups.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { ALWAYS_PAGES } from "../../words/on-call.ts";
import { EscalationSteps, inOrder, type Step } from "./escalation-steps.tsx";
import { useGroupEdit } from "./use-group-edit.ts";

type Paging = Pick<Group, "escalation" | "pagesLostRenewals" | "tellsHandOvers" | "alwaysPages">;

const pagingOf = ({ escalation, pagesLostRenewals, tellsHandOvers, alwaysPages }: Paging): Paging => ({
  escalation,
  pagesLostRenewals,
  tellsHandOvers,
  alwaysPages,
});

const ALWAYS = Object.entries(ALWAYS_PAGES).map(([value, label]) => ({ value, label }));

/** The escalation of a group, and what it pages besides anomalies. */
export function EscalationForm({ opened, onClose }: { opened: Versioned<Group>; onClose: () => void }) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const escalation: Step[] = record.escalation.length > 0 ? record.escalation : [{ afterMinutes: 0, notify: "shift" }];
  const [form, field] = useFields<Paging>({ ...pagingOf(record), escalation }, undefined, { escalation: inOrder });
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
      <EscalationSteps
        steps={form.getValues().escalation}
        error={form.errors.escalation}
        onChange={(steps) => form.setFieldValue("escalation", steps)}
      />
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
  return Array.isArray(value) ? t.steps(value.length) : value ? t.paged : t.notPaged;
}
