import { Button, Checkbox, Textarea, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { LIMITS } from "../../api/limits.ts";
import {
  createThreshold,
  THRESHOLDS,
  type ThresholdDetail,
  thresholdQuery,
  updateThreshold,
} from "../../api/monitoring/thresholds.ts";
import type { Versioned } from "../../api/versioned.ts";
import type { Conflict } from "../../parts/form/conflict.tsx";
import { Form } from "../../parts/form/form.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";
import { Section } from "../../ui/page/page.tsx";
import { TryRules } from "./dry-run/try-rules.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { NEW_RULE } from "./rule-values.ts";
import { NEW_PACK, packOf, packProblems, packValues, type ThresholdValues } from "./threshold-values.ts";

/** The rules of a pack, new or stored, and what they would have found: also before they are saved. */
export function ThresholdForm({ opened }: { opened?: Versioned<ThresholdDetail> }) {
  const form = useForm<ThresholdValues>({
    mode: "controlled",
    initialValues: opened ? packValues(opened.record) : NEW_PACK,
    validate: packProblems,
  });
  const { save, conflict } = useSave(form, opened);
  const { rules } = form.getValues();
  const add = () => form.insertListItem("rules", { ...NEW_RULE, metric: rules.at(-1)?.metric ?? "" });
  return (
    <>
      <Section title="Rules">
        <Form
          form={form}
          onSubmit={save}
          action={opened ? "Save" : "Create threshold pack"}
          {...(conflict ? { conflict } : {})}
        >
          <TextInput label="Name" {...form.getInputProps("name")} />
          <Textarea label="Description" autosize minRows={1} {...form.getInputProps("description")} />
          <Checkbox
            label="Enabled"
            description="The rules of a disabled pack are not evaluated."
            {...form.getInputProps("enabled", { type: "checkbox" })}
          />
          {rules.map((rule, at) => (
            <RuleFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule that is not stored yet has no id, and its fields follow its place
              key={`${rule.id} ${at}`}
              form={form}
              at={at}
              onRemove={rules.length > 1 ? () => form.removeListItem("rules", at) : undefined}
            />
          ))}
          <div>
            <Button variant="default" onClick={add} disabled={rules.length >= LIMITS.rulesOfThreshold}>
              Add a rule
            </Button>
          </div>
        </Form>
      </Section>
      <TryRules form={form} />
    </>
  );
}

const LABELS: Conflict<ThresholdValues>["labels"] = {
  name: "Name",
  description: "Description",
  enabled: "Enabled",
  rules: "Rules",
};

function useSave(form: UseFormReturnType<ThresholdValues>, opened: Versioned<ThresholdDetail> | undefined) {
  const [version, setVersion] = useState(opened);
  const queries = useQueryClient();
  const refresh = useRefresh();
  const router = useRouter();
  if (!version) {
    const save = async (values: ThresholdValues) => {
      const { id, name } = await createThreshold(packOf(values));
      await refresh(THRESHOLDS);
      toast(`Threshold pack ${name} is created.`);
      await router.navigate({ href: `/thresholds/${id}` });
    };
    return { save };
  }
  const { id } = version.record;
  const load = async () => {
    const now = await queries.fetchQuery({ ...thresholdQuery(id), staleTime: 0 });
    setVersion(now);
    return packValues(now.record);
  };
  const save = async (values: ThresholdValues) => {
    await updateThreshold(id, version.etag, packOf(values));
    const stored = await load();
    form.setInitialValues(stored);
    form.setValues(stored);
    await refresh(THRESHOLDS);
    toast("Saved.");
  };
  const show = (_: keyof ThresholdValues, value: unknown) =>
    Array.isArray(value) ? plural(value.length, "rule") : String(value);
  return { save, conflict: { load, labels: LABELS, show } };
}
