import { PasswordInput } from "@mantine/core";
import { type FormEvent, lazy, Suspense, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/parts.ts";
import { api, must } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { Action, Dialog, DialogActions } from "../../ui/ui.ts";
import { useAct } from "../act/use-act.tsx";
import { useSession } from "../session.ts";
import { CodeField } from "./code-field.tsx";
import { cancelStepUp, confirmStepUp, useStepUpWanted } from "./step-up.ts";

/** Asks for the password, and a code of the second factor if there is one, before a dangerous operation. */
export function StepUpDialog() {
  const wanted = useStepUpWanted();
  return (
    <Dialog title={t.confirmThatItIsYou} opened={wanted} onClose={cancelStepUp}>
      {wanted && <ByPerson />}
    </Dialog>
  );
}

/** Those who signed in at their company's provider confirm there. */
function ByPerson() {
  if (!useSession().singleSignOn) return <StepUpForm />;
  return (
    <Suspense fallback={null}>
      <ProviderStepUp />
    </Suspense>
  );
}

const PasskeyStepUp = lazy(() => import("./passkey-step-up.tsx"));
const ProviderStepUp = lazy(() => import("./provider-step-up.tsx"));

function StepUpForm() {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { factor, factorKinds } = useSession();
  const [asksCode, setAsksCode] = useState(factor === "given");
  const { act, busy, error, problem } = useAct();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return act(async () => {
      const body = code ? { password, code } : { password };
      await must(api.POST("/api/admin/session/step-up", { body })).catch((reason) => {
        if (reason instanceof Problem && reason.code === "factor_required") setAsksCode(true);
        throw reason;
      });
      confirmStepUp();
    });
  };
  const isAskedForCode = error instanceof Problem && error.code === "factor_required";
  return (
    <form onSubmit={submit} className="stack">
      <p>{t.thisOperationIsDangerousIn}</p>
      {factorKinds.includes("passkey") && (
        <Suspense fallback={null}>
          <PasskeyStepUp />
        </Suspense>
      )}
      <PasswordInput
        label={common.password}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        data-autofocus
      />
      {asksCode && <CodeField withoutApp={!factorKinds.includes("app")} value={code} onChange={setCode} required />}
      {!isAskedForCode && problem}
      <DialogActions>
        <Action label={t.cancel} onClick={cancelStepUp} />
        <Action label={t.confirm} type="submit" loading={busy} />
      </DialogActions>
    </form>
  );
}
