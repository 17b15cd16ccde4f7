import { Checkbox, Textarea, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/thresholds.ts";
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
import { numberText } from "../../texts/number-text.ts";
import { Action, Facts, Page, Panel, Section, Time } from "../../ui/ui.ts";
import { ruleText } from "../../words/rules.ts";
import { TryRules } from "./dry-run/try-rules.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { packProblems } from "./rule-problems.ts";
import { NEW_PACK, NEW_RULE, packOf, packValues, type ThresholdValues } from "./rule-values.ts";

/** A pack: what it watches, its rules, and what they would have found. A new pack has the id `new`. */
export default function ThresholdPage() {
  const { id } = usePathParams<"id">();
  if (id !== "new") return <StoredPack key={id} id={id} />;
  return (
    <Page title={t.newThresholdPack} back={{ href: "/thresholds", label: t.thresholds }}>
      <ThresholdForm />
    </Page>
  );
}

function StoredPack({ id }: { id: string }) {
  const [mayChange, mayDelete] = [useMay("updateThreshold"), useMay("deleteThreshold")];
  return (
    <RecordPage
      query={useQuery(thresholdQuery(id))}
      back={{ href: "/thresholds", label: t.thresholds }}
      kind={common.thresholdPack}
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
      label={common.delete}
      title={t.delete(name)}
      action={t.deleteThresholdPack}
      typed={name}
      run={() => deleteThreshold(id)}
      done={t.thresholdPackIsDeleted(name)}
      leads="/thresholds"
      refreshes={[THRESHOLDS]}
    >
      <p>{t.itWatchesThatYouSee(nouns.device(watchedDevices))}</p>
    </Asks>
  );
}

function Watches({ pack }: { pack: ThresholdDetail }) {
  const { id, watchedDevices, devices, unresolvedAnomalies, updatedAt } = pack;
  const types = (useQuery(deviceTypesQuery).data?.items ?? []).filter(({ thresholdIds }) => thresholdIds.includes(id));
  const facts = {
    [t.watches]: <a href={`/devices?thresholdId=${id}`}>{nouns.device(watchedDevices)}</a>,
    [t.ofTheseByThemselves]: numberText(devices),
    [t.byTheirType]:
      types.length > 0 &&
      types.map((type, at) => (
        <span key={type.id}>
          {at > 0 && ", "}
          <a href={`/device-types/${type.id}`}>{type.name}</a>
        </span>
      )),
    [t.unresolvedAnomalies]: numberText(unresolvedAnomalies),
    [common.changed]: <Time at={updatedAt} />,
  };
  return (
    <Panel>
      <Facts facts={facts} />
      {watchedDevices === 0 && <p className="soft">{t.itWatchesNothingYetChoose}</p>}
    </Panel>
  );
}

function RuleList({ pack }: { pack: ThresholdDetail }) {
  return (
    <Section title={t.rules}>
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
      <Section title={t.rules}>
        <Form form={form} onSubmit={save} action={opened ? common.save : t.createThresholdPack} conflict={conflict}>
          <TextInput label={common.name} {...field("name")} />
          <Textarea label={common.description} autosize minRows={1} {...field("description")} />
          <Checkbox label={t.enabled} description={t.theRulesOfADisabled} {...field("enabled", { type: "checkbox" })} />
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
            <Action label={t.addARule} onClick={add} disabled={isFull} />
          </div>
        </Form>
      </Section>
      <TryRules form={form} />
    </>
  );
}

const LABELS = { name: common.name, description: common.description, enabled: t.enabled, rules: t.rules };

function useSave(form: UseFormReturnType<ThresholdValues>, opened: Versioned<ThresholdDetail> | undefined) {
  const [version, setVersion] = useState(opened);
  const queries = useQueryClient();
  const refresh = useRefresh();
  const router = useRouter();
  if (!version) {
    const save = async (values: ThresholdValues) => {
      const { id, name } = await createThreshold(packOf(values));
      await refresh(THRESHOLDS);
      toast(t.thresholdPackIsCreated(name));
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
    toast(common.saved);
  };
  const show = (_: keyof ThresholdValues, value: unknown) =>
    Array.isArray(value) ? nouns.rule(value.length) : String(value);
  return { save, conflict: { load, labels: LABELS, show } };
}
