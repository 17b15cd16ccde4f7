import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { api, must } from "../../api/client.ts";
import { isComplete, startSession } from "../../api/session.ts";
import { useEnter } from "../../parts/enter.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";

/** Asks for address and password. A user who has a second factor is asked for its code afterwards. */
export function PasswordForm() {
  const enter = useEnter();
  const queries = useQueryClient();
  const form = useForm({
    mode: "controlled",
    initialValues: { email: "", password: "" },
    validate: rulesOf("signIn", ["email", "password"]),
  });
  const submit = async (values: { email: string; password: string }) => {
    const session = await must(api.POST("/api/admin/session", { body: values }));
    if (isComplete(session)) await enter(session);
    else await startSession(queries, session);
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
