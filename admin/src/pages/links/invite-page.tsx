import { acceptInvite } from "../../api/people/invites.ts";
import { useEnter } from "../../parts/enter.ts";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { useLinkToken } from "./link-token.ts";
import { NewPasswordForm } from "./new-password-form.tsx";

/** Where the link of an invitation leads: a password makes the account, and signs in. */
export default function InvitePage() {
  const token = useLinkToken();
  const enter = useEnter();
  return (
    <OpenFrame title="Accept the invitation" lead="Choose the password of your account.">
      <NewPasswordForm
        action="Create account"
        onSubmit={async (password) => enter(await acceptInvite(token, password))}
      />
      <p>
        If you have an account already: <a href="/sign-in">sign in</a>. If the link has expired, the person who invited
        you makes another.
      </p>
    </OpenFrame>
  );
}
