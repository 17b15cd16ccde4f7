import { PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { api, must } from "../../api/client.ts";
import { Form } from "../../parts/form/form.tsx";
import { NEW_PASSWORD_HINT, newPasswordRule, repeatedRule } from "../../parts/form/password-rules.ts";
import { rulesOf } from "../../parts/form/rules.ts";
import { toast } from "../../parts/toasts.tsx";

const EMPTY = { currentPassword: "", newPassword: "", repeated: "" };

/** Changes the password with the old one. */
export function PasswordChange() {
  const queries = useQueryClient();
  const form = useForm({
    mode: "controlled",
    initialValues: EMPTY,
    validate: {
      ...rulesOf("changePassword", ["currentPassword"]),
      newPassword: newPasswordRule,
      repeated: repeatedRule<typeof EMPTY>("newPassword"),
    },
  });
  const submit = async ({ currentPassword, newPassword }: typeof EMPTY) => {
    await must(api.PUT("/api/admin/password", { body: { currentPassword, newPassword } }));
    form.reset();
    toast("Your password is changed.");
    await queries.invalidateQueries();
  };
  return (
    <Form form={form} onSubmit={submit} action="Change password">
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        {...form.getInputProps("currentPassword")}
      />
      <PasswordInput
        label="New password"
        description={NEW_PASSWORD_HINT}
        autoComplete="new-password"
        {...form.getInputProps("newPassword")}
      />
      <PasswordInput label="Repeat the new password" autoComplete="new-password" {...form.getInputProps("repeated")} />
    </Form>
  );
}
