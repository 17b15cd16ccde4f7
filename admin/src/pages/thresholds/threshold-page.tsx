import { Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import type { Versioned } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { LIMITS } from "../../api/limits.ts";
import {
  createThreshold,
  deleteThreshold,
  THRESHOLDS,
  type ThresholdDetail,
  thresholdQuery,
  updateThreshold,
} from "../../api/monitoring/thresholds.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Form } from "../../parts/form/form.tsx";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { usePathParams } from "../../parts/use-params.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, Facts, Page, Panel, plural, Section, Time } from "../../ui/ui.ts";
import { SEVERITIES } from "../../words/monitoring.ts";
import { OPERATORS, ruleText } from "../../words/rules.ts";
import { TryRules } from "./dry-run/try-rules.tsx";
import { packProblems } from "./rule-problems.ts";
import { isEquality, NEW_PACK, NEW_RULE, packOf, packValues, type ThresholdValues } from "./rule-values.ts";
import "./rule-fields.css";

/** A pack: what it watches, its rules, and what they would have found. The id `new` is that of a new pack. */
export default function ThresholdPage() {
  const { id } = usePathParams<"id">();
  if (id !== "new") return <StoredPack key={id} id={id} />;
  return (
    <Page title="New threshold pack" back={{ href: "/thresholds", label: "Thresholds" }}>
      <ThresholdForm />
    </Page>
  );
}

function StoredPack({ id }: { id: string }) {
  const [mayChange, mayDelete] = [useMay("updateThreshold"), useMay("deleteThreshold")];
  return (
    <RecordPage
      query={useQuery(thresholdQuery(id))}
      back={{ href: "/thresholds", label: "Thresholds" }}
      kind="Threshold pack"
      title={({ record }) => record.name}
      lead={({ record }) => record.description}
      actions={({ record }) => mayDelete && <Delete pack={record} />}
    >
      {(pack) => (
        <>
          <Watches pack={pack.record} />
          {mayChange ? <ThresholdForm opened={pack} /> : <RuleList pack={pack.record} />}
        </>
      )}
    </RecordPage>
  );
}

function Delete({ pack: { id, name, watchedDevices } }: { pack: ThresholdDetail }) {
  return (
    <Asks
      label="Delete"
      title={`Delete ${name}?`}
      action="Delete threshold pack"
      typed={name}
      run={() => deleteThreshold(id)}
      done={`Threshold pack ${name} is deleted.`}
      leads="/thresholds"
      refreshes={[THRESHOLDS]}
    >
      <p>
        It watches {plural(watchedDevices, "device")} that you see. Its unresolved anomalies are resolved and stay on
        the list. It cannot be restored.
      </p>
    </Asks>
  );
}

function Watches({ pack }: { pack: ThresholdDetail }) {
  const { id, watchedDevices, devices, unresolvedAnomalies, updatedAt } = pack;
  const types = (useQuery(deviceTypesQuery).data?.items ?? []).filter(({ thresholdIds }) => thresholdIds.includes(id));
  const facts = {
    Watches: <a href={`/devices?thresholdId=${id}`}>{plural(watchedDevices, "device")}</a>,
    "Of these by themselves": devices.toLocaleString(),
    "By their type": types.map((type, at) => (
      <span key={type.id}>
        {at > 0 && ", "}
        <a href={`/device-types/${type.id}`}>{type.name}</a>
      </span>
    )),
    "Unresolved anomalies": unresolvedAnomalies.toLocaleString(),
    Changed: <Time at={updatedAt} />,
  };
  return (
    <Panel>
      <Facts facts={facts} />
      {watchedDevices === 0 && (
        <p className="soft">It watches nothing yet: choose it in the form of a device type, or of a device.</p>
      )}
    </Panel>
  );
}

function RuleList({ pack }: { pack: ThresholdDetail }) {
  return (
    <Section title="Rules">
      <ul>
        {pack.rules.map((rule) => (
          <li key={rule.id}>{ruleText(rule)}</li>
        ))}
      </ul>
    </Section>
  );
}

/** The rules of a pack, new or stored, and what they would have found, saved or not. */
function ThresholdForm({ opened }: { opened?: Versioned<ThresholdDetail> }) {
  const form = useForm<ThresholdValues>({
    mode: "controlled",
    initialValues: opened ? packValues(opened.record) : NEW_PACK,
    validate: packProblems,
  });
  const { getInputProps: field } = form;
  const { save, conflict } = useSave(form, opened);
  const { rules } = form.getValues();
  const add = () => form.insertListItem("rules", { ...NEW_RULE, metric: rules.at(-1)?.metric ?? "" });
  const isFull = rules.length >= LIMITS.rulesOfThreshold;
  return (
    <>
      <Section title="Rules">
        <Form form={form} onSubmit={save} action={opened ? "Save" : "Create threshold pack"} conflict={conflict}>
          <TextInput label="Name" {...field("name")} />
          <Textarea label="Description" autosize minRows={1} {...field("description")} />
          <Checkbox
            label="Enabled"
            description="The rules of a disabled pack are not evaluated."
            {...field("enabled", { type: "checkbox" })}
          />
          {rules.map((rule, at) => (
            <RuleFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a new rule has no id, and its fields follow its place
              key={`${rule.id} ${at}`}
              form={form}
              at={at}
              onRemove={rules.length > 1 ? () => form.removeListItem("rules", at) : undefined}
            />
          ))}
          <div>
            <Action label="Add a rule" onClick={add} disabled={isFull} />
          </div>
        </Form>
      </Section>
      <TryRules form={form} />
    </>
  );
}

const LABELS = { name: "Name", description: "Description", enabled: "Enabled", rules: "Rules" };

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

interface RuleFieldsProps {
  form: UseFormReturnType<ThresholdValues>;
  /** The position of the rule. */
  at: number;
  /** Absent for the only rule. */
  onRemove: (() => void) | undefined;
}

const OPERATOR_CHOICES = Object.entries(OPERATORS).map(([value, label]) => ({ value, label }));
const SEVERITY_CHOICES = Object.entries(SEVERITIES).map(([value, [, label]]) => ({ value, label }));

/** The fields of one rule, in the order of a sentence. */
function RuleFields({ form, at, onRemove }: RuleFieldsProps) {
  const { operator } = form.getValues().rules[at]!;
  const props = (field: string) => form.getInputProps(`rules.${at}.${field}`);
  const isRange = operator === "outside";
  return (
    <fieldset className="rule framed">
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
            <Action small label="Remove" onClick={onRemove} aria-label={`Remove rule ${at + 1}`} />
          </div>
        )}
      </div>
    </fieldset>
  );
}

function modeOf(operator: keyof typeof OPERATORS): "decimal" | "text" {
  return isEquality(operator) ? "text" : "decimal";
}
