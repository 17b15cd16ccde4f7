import { PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
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
    <OpenFrame title="Set up Muster" lead="Your organization and your own account, the first administrator.">
      <Loaded query={useQuery(setUpQuery)}>
        {({ open }) => {
          if (!open)
            return (
              <Notice tone="accent" title="The service is set up">
                <a href="/sign-in">Sign in</a>
              </Notice>
            );
          if (token === "")
            return (
              <Notice tone="warn" title="The link is incomplete">
                <p>
                  Open the whole link that the service made at its start, with the part after <code>#</code>. On the
                  machine of the service, <code>npx muster setup-link</code> makes another.
                </p>
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
    tenantName: (value) => (value.trim() ? null : "Enter a name."),
    tenantSlug: (value) => (/^[a-z0-9-]{1,40}$/.test(value) ? null : "Use lower-case letters, digits and hyphens."),
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
    <Form form={form} onSubmit={submit} action="Set up">
      <TextInput
        label="Organization"
        autoFocus
        {...field("tenantName")}
        onChange={(event) => named(event.currentTarget.value)}
      />
      <TextInput
        label="Short name"
        description={`Part of every topic: t/${form.values.tenantSlug || "short-name"}/… It never changes.`}
        spellCheck={false}
        {...field("tenantSlug")}
      />
      <TextInput label="Your e-mail address" type="email" autoComplete="username" {...field("email")} />
      <PasswordInput label="Password" description={NEW_PASSWORD_HINT} {...isNew} {...field("password")} />
      <PasswordInput label="Repeat the password" {...isNew} {...field("repeated")} />
    </Form>
  );
}
