import { useMay, useSession } from "../../parts/session.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel, Section } from "../../ui/page/page.tsx";
import { ROLES } from "../../words/roles.ts";
import { SecondFactor } from "./factor/second-factor.tsx";
import { OwnNotificationSections } from "./notifications/own-notifications.tsx";
import { PasswordChange } from "./password-change.tsx";
import { Sessions } from "./sessions.tsx";

/** The signed-in user's own password, second factor and sessions. What completes the sign-in comes alone. */
export default function AccountPage() {
  const { user, tenant } = useSession();
  const [password, factor, sessions] = [useMay("changePassword"), useMay("listFactors"), useMay("listSessions")];
  const notifications = useMay("getOwnNotifications");
  return (
    <Page title="Account" narrow>
      <ComesFirst />
      <Panel>
        <Facts
          facts={[
            ["E-mail address", user.email],
            ["Role", ROLES[user.role]],
            ["Tenant", tenant.name],
          ]}
        />
      </Panel>
      {factor && (
        <Section
          title="Second factor"
          lead="A code of an authenticator app that the sign-in asks for after the password: a stolen password alone is of no use then."
        >
          <SecondFactor />
        </Section>
      )}
      {notifications && <OwnNotificationSections />}
      {password && (
        <Section title="Password" lead="Changing it ends your other sessions. Your API keys stay.">
          <PasswordChange />
        </Section>
      )}
      {sessions && (
        <Section title="Sessions" lead="Where you are signed in.">
          <Sessions />
        </Section>
      )}
    </Page>
  );
}

/** What must be done before anything else. */
function ComesFirst() {
  const { tenant, passwordDue, factor } = useSession();
  if (passwordDue)
    return (
      <Notice tone="warn" title="Choose a password of your own">
        <p>The present one was drawn by the service. Until you have changed it, nothing else can be done.</p>
      </Notice>
    );
  if (factor !== "due") return null;
  return (
    <Notice tone="warn" title="Set up a second factor">
      <p>{tenant.name} requires its administrators to have one. Until you have set it up, nothing else can be done.</p>
    </Notice>
  );
}
