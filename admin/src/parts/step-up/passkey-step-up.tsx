import { t } from "#texts/passkeys.ts";
import { passkeys } from "../../api/people/passkeys.ts";
import { Runs } from "../act/use-act.tsx";
import { signChallenge } from "../passkeys/authenticator.ts";
import { confirmStepUp } from "./step-up.ts";

/** Confirms who the user is by a passkey, without password and code. */
export default function PasskeyStepUp() {
  const run = async () => {
    await passkeys.stepUp(await signChallenge(await passkeys.startCheck()));
    confirmStepUp();
  };
  return <Runs label={t.useAPasskey} run={run} />;
}
