import { PasswordInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { endOtherSessions, endOwnSession, sessionsQuery } from "../../api/account.ts";
import { api, must, type Schemas } from "../../api/client.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Runs } from "../../parts/act/use-act.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { NEW_PASSWORD_HINT, newPasswordRule, repeatedRule } from "../../parts/form/rules.ts";
import { Records } from "../../parts/list/records.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { Ago, type Column, Facts, Notice, Page, Section, Status } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { browserOf } from "./browser-of.ts";
import { SecondFactor } from "./factor/second-factor.tsx";
import { OwnNotificationSections } from "./notifications/own-channels.tsx";

/**
 * The signed-in user's password, second factor, notifications and sessions. A required step of the sign-in comes first.
 */
export default function AccountPage() {
  const { user, tenant } = useSession();
  const [password, factor, sessions] = [useMay("changePassword"), useMay("listFactors"), useMay("listSessions")];
  const notifications = useMay("getOwnNotifications");
  return (
    <Page title="Account" narrow>
      <ComesFirst />
      <Facts framed facts={{ "E-mail address": user.email, Role: ROLES[user.role], Tenant: tenant.name }} />
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

const EMPTY = { currentPassword: "", newPassword: "", repeated: "" };

function PasswordChange() {
  const queries = useQueryClient();
  const [form, field] = useFields(EMPTY, "changePassword", {
    newPassword: newPasswordRule,
    repeated: repeatedRule<typeof EMPTY>("newPassword"),
  });
  const submit = async ({ currentPassword, newPassword }: typeof EMPTY) => {
    await must(api.PUT("/api/admin/password", { body: { currentPassword, newPassword } }));
    form.reset();
    toast("Your password is changed.");
    await queries.invalidateQueries();
  };
  const isNew = { autoComplete: "new-password" };
  return (
    <Form form={form} onSubmit={submit} action="Change password">
      <PasswordInput label="Current password" autoComplete="current-password" {...field("currentPassword")} />
      <PasswordInput label="New password" description={NEW_PASSWORD_HINT} {...isNew} {...field("newPassword")} />
      <PasswordInput label="Repeat the new password" {...isNew} {...field("repeated")} />
    </Form>
  );
}

const SESSIONS = "/api/admin/sessions";
type OwnSession = Schemas["OwnSession"];

const COLUMNS: readonly Column<OwnSession>[] = [
  { title: "Browser", main: true, cell: ({ userAgent }) => browserOf(userAgent) },
  { title: "Address", cell: ({ address }) => <span className="mono">{address}</span> },
  { title: "Signed in", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: "Last used", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  {
    title: "State",
    cell: ({ current }) => <Status of={[current ? "good" : "neutral", current ? "This browser" : "Open"]} plain />,
  },
  { title: "Actions", cell: (session) => <EndSession session={session} /> },
];

function EndSession({ session: { id, current } }: { session: OwnSession }) {
  if (current) return <span className="soft">–</span>;
  return <Runs small label="Sign out" run={() => endOwnSession(id)} refreshes={[SESSIONS]} />;
}

function Sessions() {
  const query = useQuery(sessionsQuery);
  return (
    <>
      <Records label="Sessions" columns={COLUMNS} query={query} />
      <div>
        <Asks
          label="Sign out other sessions"
          disabled={(query.data?.items.length ?? 0) < 2}
          title="Sign out your other sessions?"
          action="Sign out others"
          run={endOtherSessions}
          done="Your other sessions have ended."
          refreshes={[SESSIONS]}
        >
          <p>Every session but this one ends at once: other browsers and devices have to sign in again.</p>
        </Asks>
      </div>
    </>
  );
}
