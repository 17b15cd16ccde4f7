import { PasswordInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/sign-in.ts";
import { api, must } from "../../api/client.ts";
import { isComplete, startSession } from "../../api/session.ts";
import { useEnter } from "../../parts/enter.ts";
import { Form, useFields } from "../../parts/form/form.tsx";

/** Asks for address and password. A user with a second factor is asked for its code afterwards. */
export function PasswordForm({ email = "" }: { email?: string | undefined }) {
  const enter = useEnter();
  const queries = useQueryClient();
  const [form, field] = useFields({ email, password: "" }, "signIn");
  const submit = async (values: typeof form.values) => {
    const session = await must(api.POST("/api/admin/session", { body: values }));
    if (isComplete(session)) await enter(session);
    else await startSession(queries, session);
  };
  return (
    <>
      <Form form={form} onSubmit={submit} action={t.signIn2}>
        <TextInput
          label={common.eMailAddress}
          type="email"
          autoComplete="username"
          autoFocus={email === ""}
          {...field("email")}
        />
        <PasswordInput
          label={common.password}
          autoComplete="current-password"
          autoFocus={email !== ""}
          {...field("password")}
        />
      </Form>
      <p>
        <a href="/forgot-password">{t.forgotYourPassword}</a>
      </p>
    </>
  );
}
