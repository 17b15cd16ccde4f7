import { PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Form } from "../../parts/form/form.tsx";

/** The bounds of a password, which the service checks as well (docs/limits.md). */
const LENGTH = { least: 12, most: 128 };

/** Asks for a new password, twice. */
export function NewPasswordForm({
  action,
  onSubmit,
}: {
  action: string;
  onSubmit: (password: string) => Promise<unknown>;
}) {
  const form = useForm({
    mode: "controlled",
    initialValues: { password: "", again: "" },
    validate: {
      password: (password) =>
        password.length < LENGTH.least || password.length > LENGTH.most
          ? `Enter ${LENGTH.least} to ${LENGTH.most} characters.`
          : null,
      again: (again, { password }) => (again === password ? null : "The passwords differ."),
    },
  });
  return (
    <Form form={form} onSubmit={({ password }) => onSubmit(password)} action={action}>
      <PasswordInput
        label="New password"
        description={`${LENGTH.least} to ${LENGTH.most} characters, none of the common ones.`}
        autoComplete="new-password"
        autoFocus
        {...form.getInputProps("password")}
      />
      <PasswordInput label="The same again" autoComplete="new-password" {...form.getInputProps("again")} />
    </Form>
  );
}
