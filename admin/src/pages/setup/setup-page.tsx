import { PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/sign-in.ts";
import { api, must } from "../../api/client.ts";
import { setUpQuery } from "../../api/setup.ts";
import { useEnter } from "../../parts/enter.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { NEW_PASSWORD_HINT, newPasswordRule, repeatedRule } from "../../parts/form/rules.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { Notice } from "../../ui/ui.ts";
import { slugOf } from "./slug.ts";

/**
 * The first page of a new service: its tenant and its first administrator. Browsers do not send the token after `#`.
 */
export default function SetupPage() {
  const [token] = useState(() => location.hash.slice(1));
  return (
    <OpenFrame title={t.setUpMuster} lead={t.yourOrganizationAndYourOwn}>
      <Loaded query={useQuery(setUpQuery)}>
        {({ open }) => {
          if (!open)
            return (
              <Notice tone="accent" title={t.theServiceIsSetUp}>
                <a href="/sign-in">{t.signIn2}</a>
              </Notice>
            );
          if (token === "")
            return (
              <Notice tone="warn" title={t.theLinkIsIncomplete}>
                <p>{t.openTheWholeLinkThat(<code>#</code>, <code>npx muster setup-link</code>)}</p>
              </Notice>
            );
          return <SetupForm token={token} />;
        }}
      </Loaded>
    </OpenFrame>
  );
}

const EMPTY = { tenantName: "", tenantSlug: "", email: "", password: "", repeated: "" };
type Values = typeof EMPTY;

/** Asks for the tenant and the first administrator, and signs in as it. */
function SetupForm({ token }: { token: string }) {
  const enter = useEnter();
  const [form, field] = useFields(EMPTY, "setUp", {
    tenantName: (value) => (value.trim() ? null : t.enterAName),
    tenantSlug: (value) => (/^[a-z0-9-]{1,40}$/.test(value) ? null : t.useLowerCaseLettersDigits),
    password: newPasswordRule,
    repeated: repeatedRule<Values>("password"),
  });
  const submit = async ({ repeated: _, ...values }: Values) =>
    enter(await must(api.POST("/api/admin/setup", { body: { token, ...values } })));
  const named = (tenantName: string) => {
    const { tenantSlug } = form.getValues();
    const follows = tenantSlug === slugOf(form.getValues().tenantName);
    form.setValues({ tenantName, ...(follows ? { tenantSlug: slugOf(tenantName) } : {}) });
  };
  const isNew = { autoComplete: "new-password" };
  return (
    <Form form={form} onSubmit={submit} action={t.setUp}>
      <TextInput
        label={t.organization}
        autoFocus
        {...field("tenantName")}
        onChange={(event) => named(event.currentTarget.value)}
      />
      <TextInput
        label={t.shortName}
        description={t.partOfEveryTopicT(form.values.tenantSlug || "short-name")}
        spellCheck={false}
        {...field("tenantSlug")}
      />
      <TextInput label={t.yourEMailAddress} type="email" autoComplete="username" {...field("email")} />
      <PasswordInput label={common.password} description={NEW_PASSWORD_HINT} {...isNew} {...field("password")} />
      <PasswordInput label={t.repeatThePassword} {...isNew} {...field("repeated")} />
    </Form>
  );
}
