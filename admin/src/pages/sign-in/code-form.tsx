import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { api, must } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { endSession, forgetSession } from "../../api/session.ts";
import { useEnter } from "../../parts/enter.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { CodeField } from "../../parts/step-up/code-field.tsx";
import { toast } from "../../parts/toasts.tsx";
import { LinkButton } from "../../ui/input/link-button.tsx";

/** Asks for a code of the second factor, which completes the sign-in. */
export function CodeForm() {
  const enter = useEnter();
  const queries = useQueryClient();
  const form = useForm({
    mode: "controlled",
    initialValues: { code: "" },
    validate: rulesOf("giveFactor", ["code"]),
  });
  const submit = async ({ code }: { code: string }) => {
    try {
      await enter(await must(api.POST("/api/admin/session/factor", { body: { code } })));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "session_required") throw error;
      await forgetSession(queries);
      toast("The sign-in took too long. Begin again.");
    }
  };
  return (
    <>
      <Form form={form} onSubmit={submit} action="Sign in">
        <CodeField autoFocus value={form.values.code} {...form.getInputProps("code")} />
      </Form>
      <LinkButton onClick={() => void endSession(queries)}>Sign in as another user</LinkButton>
    </>
  );
}
