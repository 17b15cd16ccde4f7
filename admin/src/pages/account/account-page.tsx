import { useSession } from "../../parts/session.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel, Section } from "../../ui/page/page.tsx";
import { ROLES } from "../../words/roles.ts";
import { PasswordChange } from "./password-change.tsx";
import { Sessions } from "./sessions.tsx";

/** The signed-in user's own password and sessions. */
export default function AccountPage() {
  const { user, tenant, passwordDue } = useSession();
  return (
    <Page title="Account" narrow>
      {passwordDue && (
        <Notice tone="warn" title="Choose a password of your own">
          <p>The present one was drawn by the service. Until you have changed it, nothing else can be done.</p>
        </Notice>
      )}
      <Panel>
        <Facts
          facts={[
            ["E-mail address", user.email],
            ["Role", ROLES[user.role]],
            ["Tenant", tenant.name],
          ]}
        />
      </Panel>
      <Section title="Password" lead="Changing it ends your other sessions. Your API keys stay.">
        <PasswordChange />
      </Section>
      {!passwordDue && (
        <Section title="Sessions" lead="Where you are signed in.">
          <Sessions />
        </Section>
      )}
    </Page>
  );
}
