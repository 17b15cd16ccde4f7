import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { flushSync } from "react-dom";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/sign-in.ts";
import type { Schemas } from "../../api/client.ts";
import { acceptInvite, openedInviteQuery } from "../../api/people/invites.ts";
import { useEnter } from "../../parts/enter.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { Facts } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { NewPasswordForm, useLinkToken } from "./new-password-form.tsx";

/** The target of an invitation's link: a password creates the account, and signs in. */
export default function InvitePage() {
  const token = useLinkToken();
  const [isAccepted, setAccepted] = useState(false);
  const invite = useQuery({ ...openedInviteQuery(token), enabled: !isAccepted });
  const enter = useEnter();
  const accept = async (password: string) => {
    const session = await acceptInvite(token, password);
    // The link is used up, so a new session must not read it again.
    flushSync(() => setAccepted(true));
    await enter(session);
  };
  return (
    <OpenFrame
      title={invite.data ? t.join(invite.data.tenantName) : t.acceptTheInvitation}
      lead={!invite.error && t.chooseThePasswordOfYour}
    >
      <Loaded query={invite}>{(opened) => <Accept invite={opened} onAccept={accept} />}</Loaded>
      <p>{t.ifYouHaveAnAccount(<a href="/sign-in">{t.signIn}</a>)}</p>
    </OpenFrame>
  );
}

interface AcceptProps {
  invite: Schemas["OpenedInvite"];
  onAccept: (password: string) => Promise<void>;
}

function Accept({ invite: { email, role }, onAccept }: AcceptProps) {
  return (
    <>
      <Facts facts={{ [t.youSignInAs]: email, [common.role]: ROLES[role] }} />
      <NewPasswordForm action={t.createAccount} onSubmit={onAccept} />
    </>
  );
}
