import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { api, must } from "../../api/client.ts";
import { useEnter } from "../../parts/enter.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";

/** Asks for address and password. */
export function PasswordForm() {
  const enter = useEnter();
  const form = useForm({
    mode: "controlled",
    initialValues: { email: "", password: "" },
    validate: rulesOf("signIn", ["email", "password"]),
  });
  const submit = async (values: { email: string; password: string }) => {
    const session = await must(api.POST("/api/admin/session", { body: values }));
    await enter(session);
  };
  return (
    <Form form={form} onSubmit={submit} action="Sign in">
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="username"
        autoFocus
        {...form.getInputProps("email")}
      />
      <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps("password")} />
    </Form>
  );
}
