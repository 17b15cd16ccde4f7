import { NativeSelect, PasswordInput, Switch, TextInput } from "@mantine/core";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/settings/single-sign-on.ts";
import type { Versioned } from "../../api/client.ts";
import {
  type ProviderEdit,
  SINGLE_SIGN_ON,
  type SingleSignOn,
  saveSingleSignOn,
  singleSignOnQuery,
} from "../../api/people/single-sign-on.ts";
import { PeopleField } from "../../parts/form/choices-field.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Section } from "../../ui/ui.ts";
import { MappingField } from "./mapping-field.tsx";

const FIRST: readonly [ProviderEdit["firstSignIn"], string][] = [
  ["refused", t.refused],
  ["invited", t.invited],
  ["mapped", t.mapped],
];
const RULES: readonly [ProviderEdit["rule"], string][] = [
  ["password", t.password],
  ["break_glass", t.breakGlass],
  ["required", t.required],
];

/** Sets the provider of the tenant, and who comes in how. */
export function ProviderForm({ opened }: { opened: Versioned<SingleSignOn> }) {
  const may = useMay("saveSingleSignOn");
  const refresh = useRefresh();
  const { etag, ...version } = useVersion(opened, singleSignOnQuery);
  const [form, field] = useFields(valuesOf(opened.record), "saveSingleSignOn", {
    clientSecret: () => null,
    scopes: () => null,
    claim: () => null,
    rules: () => null,
  });
  const { values } = form;
  const submit = async (typed: Values) => {
    await saveSingleSignOn(etag, toEdit(typed));
    toast(common.saved);
    form.setInitialValues(valuesOf(await version.load()));
    form.reset();
    await refresh(SINGLE_SIGN_ON);
  };
  const isTested = opened.record.provider?.testedAt != null;
  const isOn = opened.record.provider?.enabled === true;
  return (
    <Form form={form} onSubmit={submit} action={common.save} blocked={may ? undefined : " "}>
      <Section title={t.connection} lead={t.registerAddresses}>
        <TextInput label={t.issuer} description={t.issuerHint} {...field("issuer")} />
        <TextInput label={t.clientId} {...field("clientId")} />
        <PasswordInput
          label={t.clientSecret}
          description={opened.record.provider && t.keepSecret}
          autoComplete="off"
          {...field("clientSecret")}
        />
        <TextInput label={t.scopes} description={t.scopesHint} {...field("scopes")} />
      </Section>
      <Section title={t.mapping} lead={t.mappingHint}>
        <TextInput label={t.claim} description={t.claimHint} {...field("claim")} />
        {values.claim !== "" && <MappingField {...field("rules")} />}
      </Section>
      <Section title={t.people}>
        <NativeSelect label={t.firstSignIn} data={choices(FIRST)} {...field("firstSignIn")} />
        <NativeSelect label={t.rule} data={choices(RULES)} {...field("rule")} />
        {values.rule === "break_glass" && (
          <PeopleField label={t.breakGlassAdmins} description={t.breakGlassHint} {...field("breakGlass")} />
        )}
        <Switch
          label={t.switchedOn}
          description={isTested ? undefined : t.testFirst}
          disabled={!isTested && !isOn}
          checked={values.enabled}
          onChange={(event) => form.setFieldValue("enabled", event.currentTarget.checked)}
        />
      </Section>
    </Form>
  );
}

type Values = ReturnType<typeof valuesOf>;

function choices(of: readonly (readonly [string, string])[]) {
  return of.map(([value, label]) => ({ value, label }));
}

function valuesOf({ provider }: SingleSignOn) {
  return {
    issuer: provider?.issuer ?? "",
    clientId: provider?.clientId ?? "",
    clientSecret: "",
    scopes: (provider?.scopes ?? ["openid", "email", "profile"]).join(" "),
    claim: provider?.mapping?.claim ?? "",
    rules: provider?.mapping?.rules ?? [],
    firstSignIn: provider?.firstSignIn ?? ("refused" as const),
    rule: provider?.rule ?? ("password" as const),
    breakGlass: provider?.breakGlass ?? [],
    enabled: provider?.enabled ?? false,
  };
}

function toEdit({ clientSecret, scopes, claim, rules, ...values }: Values): ProviderEdit {
  const filled = rules.filter(({ value }) => value.trim() !== "");
  return {
    ...values,
    ...(clientSecret === "" ? {} : { clientSecret }),
    scopes: scopes.split(/\s+/).filter((scope) => scope !== ""),
    mapping: claim.trim() === "" ? null : { claim: claim.trim(), rules: filled },
  };
}
