import { type FormEvent, useState } from "react";
import { t as words } from "#texts/pages/settings/single-sign-on.ts";
import { t } from "#texts/parts.ts";
import { t as passkeyWords } from "#texts/passkeys.ts";
import type { Schemas } from "../../api/client.ts";
import { passkeys } from "../../api/people/passkeys.ts";
import { startProviderStepUp } from "../../api/people/provider-sign-in.ts";
import { Action, DialogActions } from "../../ui/ui.ts";
import { Runs, useAct } from "../act/use-act.tsx";
import { signChallenge } from "../passkeys/authenticator.ts";
import { useSession } from "../session.ts";
import { CodeField } from "./code-field.tsx";
import { atProvider } from "./provider-window.ts";
import { cancelStepUp, confirmStepUp } from "./step-up.ts";

/** Asks the user to confirm at the identity provider, in a window of its own, so that this page stays as it is. */
export default function ProviderStepUp() {
  const { factor, factorKinds } = useSession();
  const [code, setCode] = useState("");
  const [passkey, setPasskey] = useState<Schemas["PasskeySignature"]>();
  const { act, busy, problem } = useAct();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return act(async () => {
      try {
        const end = await atProvider(startProviderStepUp({ ...(code && { code }), ...(passkey && { passkey }) }));
        if (end.done) confirmStepUp();
      } finally {
        // A signature is accepted once, also when the provider fails afterwards.
        setPasskey(undefined);
      }
    });
  };
  return (
    <form onSubmit={submit} className="stack">
      <p>{t.thisOperationIsDangerousIn}</p>
      {factor === "given" && passkey && <p>{passkeyWords.thePasskeyIsAccepted}</p>}
      {factor === "given" && !passkey && (
        <>
          {factorKinds.includes("passkey") && (
            <Runs
              label={passkeyWords.useAPasskey}
              run={async () => setPasskey(await signChallenge(await passkeys.startCheck()))}
            />
          )}
          <CodeField withoutApp={!factorKinds.includes("app")} value={code} onChange={setCode} required />
        </>
      )}
      {problem}
      <DialogActions>
        <Action label={t.cancel} onClick={cancelStepUp} />
        <Action label={words.confirmAtTheProvider} type="submit" loading={busy} />
      </DialogActions>
    </form>
  );
}
