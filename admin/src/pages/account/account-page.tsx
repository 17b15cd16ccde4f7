import { PasswordInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/account.ts";
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
import { ProfileForm } from "./profile-form.tsx";

/**
 * The signed-in user's password, second factor, notifications and sessions. A required step of the sign-in comes first.
 */
export default function AccountPage() {
  const { user, tenant } = useSession();
  const [password, factor, sessions] = [useMay("changePassword"), useMay("listFactors"), useMay("listSessions")];
  const [notifications, profile] = [useMay("getOwnNotifications"), useMay("changeProfile")];
  return (
    <Page title={t.account} narrow>
      <ComesFirst />
      <Facts
        framed
        facts={{ [common.eMailAddress]: user.email, [common.role]: ROLES[user.role], [t.tenant]: tenant.name }}
      />
      {profile && (
        <Section title={t.profile} lead={t.profileLead}>
          <ProfileForm />
        </Section>
      )}
      {notifications && <OwnNotificationSections />}
      {factor && (
        <Section title={common.secondFactor} lead={t.aCodeOfAnAuthenticator}>
          <SecondFactor />
        </Section>
      )}
      {password && (
        <Section title={common.password} lead={t.changingItEndsYourOther}>
          <PasswordChange />
        </Section>
      )}
      {sessions && (
        <Section title={t.sessions} lead={t.whereYouAreSignedIn}>
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
      <Notice tone="warn" title={t.chooseAPasswordOfYour}>
        <p>{t.thePresentOneWasDrawn}</p>
      </Notice>
    );
  if (factor !== "due") return null;
  return (
    <Notice tone="warn" title={t.setUpASecondFactor}>
      <p>{t.requiresItsAdministratorsToHave(tenant.name)}</p>
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
    toast(t.yourPasswordIsChanged);
    await queries.invalidateQueries();
  };
  const isNew = { autoComplete: "new-password" };
  return (
    <Form form={form} onSubmit={submit} action={t.changePassword}>
      <PasswordInput label={t.currentPassword} autoComplete="current-password" {...field("currentPassword")} />
      <PasswordInput label={common.newPassword} description={NEW_PASSWORD_HINT} {...isNew} {...field("newPassword")} />
      <PasswordInput label={t.repeatTheNewPassword} {...isNew} {...field("repeated")} />
    </Form>
  );
}

const SESSIONS = "/api/admin/sessions";
type OwnSession = Schemas["OwnSession"];

const COLUMNS: readonly Column<OwnSession>[] = [
  { title: t.browser, main: true, cell: ({ userAgent }) => browserOf(userAgent) },
  { title: t.address, cell: ({ address }) => <span className="mono">{address}</span> },
  { title: t.signedIn, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: common.lastUsed, cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  {
    title: common.state,
    cell: ({ current }) => <Status of={[current ? "good" : "neutral", current ? t.thisBrowser : t.open]} plain />,
  },
  { title: common.actions, cell: (session) => <EndSession session={session} /> },
];

function EndSession({ session: { id, current } }: { session: OwnSession }) {
  if (current) return <span className="soft">–</span>;
  return <Runs small label={t.signOut} run={() => endOwnSession(id)} refreshes={[SESSIONS]} />;
}

function Sessions() {
  const query = useQuery(sessionsQuery);
  return (
    <>
      <Records label={t.sessions} columns={COLUMNS} query={query} />
      <div>
        <Asks
          label={t.signOutOtherSessions}
          disabled={(query.data?.items.length ?? 0) < 2}
          title={t.signOutYourOtherSessions}
          action={t.signOutOthers}
          run={endOtherSessions}
          done={t.yourOtherSessionsHaveEnded}
          refreshes={[SESSIONS]}
        >
          <p>{t.everySessionButThisOne}</p>
        </Asks>
      </div>
    </>
  );
}
