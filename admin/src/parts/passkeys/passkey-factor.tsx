import { t } from "#texts/passkeys.ts";
import { passkeys } from "../../api/people/passkeys.ts";
import { Runs } from "../act/use-act.tsx";
import { useEnter } from "../enter.ts";
import { signChallenge } from "./authenticator.ts";

/** Completes a sign-in with a passkey as second factor. */
export default function PasskeyFactor() {
  const enter = useEnter();
  const run = async () => enter(await passkeys.giveFactor(await signChallenge(await passkeys.startCheck())));
  return <Runs main label={t.useAPasskey} run={run} />;
}
