import { t } from "#texts/passkeys.ts";
import { passkeys } from "../../api/people/passkeys.ts";
import { Runs } from "../act/use-act.tsx";
import { useEnter } from "../enter.ts";
import { hasPasskeys, signChallenge } from "./authenticator.ts";

/** Signs in with a passkey, without address and password. Absent in a browser without passkeys. */
export default function PasskeySignIn() {
  const enter = useEnter();
  if (!hasPasskeys()) return null;
  const run = async () => enter(await passkeys.signIn(await signChallenge(await passkeys.startSignIn())));
  return <Runs label={t.signInWithAPasskey} run={run} />;
}
