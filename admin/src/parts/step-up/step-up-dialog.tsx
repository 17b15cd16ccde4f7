import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { api, must } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { Dialog, DialogActions } from "../../ui/input/dialog.tsx";
import { ProblemBox } from "../problem-box.tsx";
import { useSession } from "../session.ts";
import { CodeField } from "./code-field.tsx";
import { cancelStepUp, confirmStepUp, useStepUpWanted } from "./step-up.ts";

/** Asks for the password, and for a code of the second factor where there is one, before a dangerous operation. */
export function StepUpDialog() {
  const wanted = useStepUpWanted();
  return (
    <Dialog title="Confirm that it is you" opened={wanted} onClose={cancelStepUp}>
      {wanted && <StepUpForm />}
    </Dialog>
  );
}

function StepUpForm() {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asksCode, setAsksCode] = useState(useSession().factor === "given");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await must(api.POST("/api/admin/session/step-up", { body: code ? { password, code } : { password } }));
      confirmStepUp();
    } catch (reason) {
      if (reason instanceof Problem && reason.code === "factor_required") setAsksCode(true);
      else setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} className="stack">
      <p>This operation is dangerous in other hands. You are not asked again for ten minutes.</p>
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        data-autofocus
      />
      {asksCode && <CodeField value={code} onChange={setCode} required />}
      {error !== undefined && <ProblemBox error={error} />}
      <DialogActions>
        <Button variant="default" onClick={cancelStepUp}>
          Cancel
        </Button>
        <Button type="submit" loading={busy}>
          Confirm
        </Button>
      </DialogActions>
    </form>
  );
}
