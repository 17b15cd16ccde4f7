import { PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Form } from "../../parts/form/form.tsx";
import { NEW_PASSWORD_HINT, newPasswordRule, repeatedRule } from "../../parts/form/password-rules.ts";

interface Values extends Record<string, unknown> {
  password: string;
  again: string;
}

/** Asks for a new password, twice. */
export function NewPasswordForm({
  action,
  onSubmit,
}: {
  action: string;
  onSubmit: (password: string) => Promise<unknown>;
}) {
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: { password: "", again: "" },
    validate: { password: newPasswordRule, again: repeatedRule<Values>("password") },
  });
  return (
    <Form form={form} onSubmit={({ password }) => onSubmit(password)} action={action}>
      <PasswordInput
        label="New password"
        description={NEW_PASSWORD_HINT}
        autoComplete="new-password"
        autoFocus
        {...form.getInputProps("password")}
      />
      <PasswordInput label="Repeat the password" autoComplete="new-password" {...form.getInputProps("again")} />
    </Form>
  );
}
