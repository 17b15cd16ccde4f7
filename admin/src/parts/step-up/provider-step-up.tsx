import { type FormEvent, useState } from "react";
import { t as words } from "#texts/pages/settings/single-sign-on.ts";
import { t } from "#texts/parts.ts";
import { startProviderStepUp } from "../../api/people/provider-sign-in.ts";
import { Action, DialogActions } from "../../ui/ui.ts";
import { useAct } from "../act/use-act.tsx";
import { useSession } from "../session.ts";
import { CodeField } from "./code-field.tsx";
import { atProvider } from "./provider-window.ts";
import { cancelStepUp, confirmStepUp } from "./step-up.ts";

/** Asks the user to confirm at the identity provider, in a window of its own, so that this page stays as it is. */
export default function ProviderStepUp() {
  const asksCode = useSession().factor === "given";
  const [code, setCode] = useState("");
  const { act, busy, problem } = useAct();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return act(async () => {
      const end = await atProvider(startProviderStepUp(code ? { code } : {}));
      if (end.done) confirmStepUp();
    });
  };
  return (
    <form onSubmit={submit} className="stack">
      <p>{t.thisOperationIsDangerousIn}</p>
      {asksCode && <CodeField value={code} onChange={setCode} required />}
      {problem}
      <DialogActions>
        <Action label={t.cancel} onClick={cancelStepUp} />
        <Action label={words.confirmAtTheProvider} type="submit" loading={busy} />
      </DialogActions>
    </form>
  );
}
