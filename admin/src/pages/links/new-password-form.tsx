import { PasswordInput } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/sign-in.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { NEW_PASSWORD_HINT, newPasswordRule, repeatedRule } from "../../parts/form/rules.ts";

interface NewPasswordFormProps {
  action: string;
  onSubmit: (password: string) => Promise<unknown>;
}

export function NewPasswordForm({ action, onSubmit }: NewPasswordFormProps) {
  const [form, field] = useFields({ password: "", again: "" }, undefined, {
    password: newPasswordRule,
    again: repeatedRule("password"),
  });
  const isNew = { autoComplete: "new-password" };
  return (
    <Form form={form} onSubmit={({ password }) => onSubmit(password)} action={action}>
      <PasswordInput
        label={common.newPassword}
        description={NEW_PASSWORD_HINT}
        {...isNew}
        autoFocus
        {...field("password")}
      />
      <PasswordInput label={t.repeatThePassword} {...isNew} {...field("again")} />
    </Form>
  );
}

/** Returns the token of a one-time link: the part after `#`, which browsers do not send to the service. */
export function useLinkToken(): string {
  return useLocation().hash.replace(/^#/, "");
}
