import { NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/settings/single-sign-on.ts";
import type { ProviderEdit } from "../../api/people/single-sign-on.ts";
import { GroupsField } from "../../parts/form/choices-field.tsx";
import { Action } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";

type Rule = NonNullable<ProviderEdit["mapping"]>["rules"][number];

interface MappingFieldProps {
  value?: Rule[];
  onChange: (rules: Rule[]) => void;
  error?: ReactNode;
}

/** The role and the groups that each value of a claim gives. */
export function MappingField({ value: rules = [], onChange, error }: MappingFieldProps) {
  const set = (at: number, change: Partial<Rule>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...change } : rule)));
  return (
    <div className="stack">
      {rules.map((rule, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity of their own
        <fieldset key={at} className="stack-tight framed">
          <TextInput
            label={t.value}
            value={rule.value}
            onChange={(event) => set(at, { value: event.currentTarget.value })}
          />
          <NativeSelect
            label={common.role}
            data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
            value={rule.role}
            onChange={(event) => set(at, { role: event.currentTarget.value as Rule["role"] })}
          />
          <GroupsField label={common.groups} value={rule.groupIds} onChange={(groupIds) => set(at, { groupIds })} />
          <div>
            <Action
              small
              subtle
              label={t.removeValue}
              onClick={() => onChange(rules.filter((_, index) => index !== at))}
            />
          </div>
        </fieldset>
      ))}
      <div>
        <Action
          small
          label={t.addValue}
          onClick={() => onChange([...rules, { value: "", role: "viewer", groupIds: [] }])}
        />
      </div>
      {error && <p role="alert">{error}</p>}
    </div>
  );
}
