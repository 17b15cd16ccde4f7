import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { api, must } from "../../api/client.ts";
import { useEnter } from "../../parts/enter.ts";
import { Form } from "../../parts/form/form.tsx";
import { NEW_PASSWORD_HINT, newPasswordRule, repeatedRule } from "../../parts/form/password-rules.ts";
import { rulesOf } from "../../parts/form/rules.ts";
import { slugOf } from "./slug.ts";

interface Values extends Record<string, unknown> {
  tenantName: string;
  tenantSlug: string;
  email: string;
  password: string;
  repeated: string;
}

const EMPTY: Values = { tenantName: "", tenantSlug: "", email: "", password: "", repeated: "" };

/** Asks for the tenant and the first administrator, and signs in as it. */
export function SetupForm({ token }: { token: string }) {
  const enter = useEnter();
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: EMPTY,
    validate: {
      ...rulesOf("setUp", ["email"]),
      tenantName: (value) => (value.trim() ? null : "Enter a name."),
      tenantSlug: (value) => (/^[a-z0-9-]{1,40}$/.test(value) ? null : "Use lower-case letters, digits and hyphens."),
      password: newPasswordRule,
      repeated: repeatedRule("password"),
    },
  });
  const submit = async ({ repeated: _, ...values }: Values) =>
    enter(await must(api.POST("/api/admin/setup", { body: { token, ...values } })));
  const named = (tenantName: string) => {
    const { tenantSlug } = form.getValues();
    const follows = tenantSlug === slugOf(form.getValues().tenantName);
    form.setValues({ tenantName, ...(follows ? { tenantSlug: slugOf(tenantName) } : {}) });
  };
  return (
    <Form form={form} onSubmit={submit} action="Set up">
      <TextInput
        label="Organization"
        autoFocus
        {...form.getInputProps("tenantName")}
        onChange={(event) => named(event.currentTarget.value)}
      />
      <TextInput
        label="Short name"
        description={`Part of every topic: t/${form.values.tenantSlug || "short-name"}/… It never changes.`}
        spellCheck={false}
        {...form.getInputProps("tenantSlug")}
      />
      <TextInput label="Your e-mail address" type="email" autoComplete="username" {...form.getInputProps("email")} />
      <PasswordInput
        label="Password"
        description={NEW_PASSWORD_HINT}
        autoComplete="new-password"
        {...form.getInputProps("password")}
      />
      <PasswordInput label="Repeat the password" autoComplete="new-password" {...form.getInputProps("repeated")} />
    </Form>
  );
}
