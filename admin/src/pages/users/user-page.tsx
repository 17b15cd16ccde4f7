import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { withinSentence } from "#texts/language.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/users.ts";
import { MQTT_CLIENTS } from "../../api/broker/mqtt-clients.ts";
import type { Versioned } from "../../api/client.ts";
import { KEYS } from "../../api/keys.ts";
import {
  changeUser,
  deleteUser,
  impactQuery,
  type Role,
  resetFactor,
  resetUser,
  USERS,
  type User,
  userQuery,
} from "../../api/people/users.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Ago, Dialog, Facts, Opens, Section, Time } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { GroupsOf } from "./groups-of.tsx";
import { ClientsThatStop, KeysThatStop, RoleImpact } from "./impact.tsx";
import { type MadeLink, ShowLink } from "./show-link.tsx";

/** A user: role, state, and the API keys that stop with the account. */
export default function UserPage() {
  const { id } = usePathParams<"id">();
  const impact = useQuery(impactQuery(id));
  return (
    <RecordPage
      query={useQuery(userQuery(id))}
      back={{ href: "/users", label: t.users }}
      kind={t.user}
      title={({ record }) => record.email}
      actions={(user) => <UserActions {...user} />}
      below={
        <Section title={t.apiKeysThatStopWith} lead={t.theyStopForGoodWhen}>
          <Loaded query={impact}>{({ keys }) => <KeysThatStop keys={keys} />}</Loaded>
        </Section>
      }
    >
      {({ record }) => <Facts framed facts={factsOf(record)} />}
    </RecordPage>
  );
}

function factsOf(user: User) {
  return {
    [common.name]: user.name,
    [common.role]: ROLES[user.role],
    [common.groups]: <GroupsOf user={user} />,
    [common.state]: user.status === "active" ? t.active : t.deactivated,
    [t.runsTheInstallation]: user.platform ? t.yes : t.no,
    [common.secondFactor]: user.secondFactor ? t.on : common.none,
    [t.lastActive]: <Ago at={user.lastUsedAt} none={t.notSignedIn} />,
    [common.since]: <Time at={user.createdAt} />,
    [common.audit]: <a href={`/audit?actor=user%3A${user.id}`}>{t.whatTheUserDid}</a>,
  };
}

function UserActions(user: Versioned<User>) {
  const { record, etag } = user;
  if (!useMay("changeUser")) return null;
  if (record.status !== "active")
    return (
      <>
        <Asks
          label={t.reactivate}
          title={t.reactivate2(record.email)}
          action={t.reactivate}
          harmless
          run={() => changeUser(record.id, etag, { status: "active" })}
          done={t.canSignInAgain(record.email)}
          refreshes={[USERS]}
        >
          <p>{t.theUserCanSignIn}</p>
        </Asks>
        <Delete user={record} />
      </>
    );
  return (
    <>
      <Opens label={t.changeRole} title={t.changeTheRoleOf(record.email)}>
        {(close) => <ChangeRole opened={user} onClose={close} />}
      </Opens>
      <Reset user={record} />
      {record.secondFactor && <ResetFactor user={record} />}
      <Asks
        label={t.deactivate}
        title={t.deactivate2(record.email)}
        action={t.deactivateUser}
        typed={record.email}
        run={() => changeUser(record.id, etag, { status: "deactivated" })}
        done={t.isDeactivated(record.email)}
        refreshes={AFFECTED}
      >
        <p>{t.theSessionsOfTheUser}</p>
        <Ends user={record}>{t.theyConnectAgainOnceTheUser}</Ends>
      </Asks>
      <Delete user={record} />
    </>
  );
}

const AFFECTED = [USERS, KEYS, MQTT_CLIENTS];

function Delete({ user }: { user: User }) {
  return (
    <Asks
      label={common.delete}
      title={t.delete(user.email)}
      action={t.deleteUser}
      typed={user.email}
      run={() => deleteUser(user.id)}
      done={t.isDeleted(user.email)}
      leads="/users"
      refreshes={AFFECTED}
    >
      <p>{t.theSessionsOfTheUserEnd}</p>
      <Ends user={user}>{t.theyConnectAgainWhenAnother}</Ends>
    </Asks>
  );
}

/** The API keys and MQTT clients that stop with the user. @param children what brings the clients back */
function Ends({ user, children }: { user: User; children: string }) {
  return (
    <Loaded query={useQuery(impactQuery(user.id))}>
      {({ keys, mqttClients }) => (
        <>
          <p>
            <strong>{keys.length === 0 ? t.noApiKeyStops : t.theseApiKeysStopFor(keys.length)}</strong>
          </p>
          {keys.length > 0 && <KeysThatStop keys={keys} />}
          <ClientsThatStop clients={mqttClients}>{children}</ClientsThatStop>
        </>
      )}
    </Loaded>
  );
}

/** Removes the second factor of a user who lost it. */
function ResetFactor({ user: { id, email } }: { user: User }) {
  return (
    <Asks
      label={t.removeSecondFactor}
      title={t.removeTheSecondFactorOf(email)}
      action={t.removeSecondFactor}
      run={() => resetFactor(id)}
      done={t.theSecondFactorOfIs(email)}
      refreshes={[USERS]}
    >
      <p>{t.forAUserWhoLost}</p>
      <p>{t.theSessionsOfTheUserEndAt}</p>
    </Asks>
  );
}

function Reset({ user: { id, email } }: { user: User }) {
  const [link, setLink] = useState<MadeLink>();
  const title = t.resetLinkFor(email);
  const close = () => setLink(undefined);
  return (
    <>
      <Asks
        label={t.resetPassword}
        title={t.resetThePasswordOf(email)}
        action={t.makeAResetLink}
        harmless
        run={async () => setLink({ email, ...(await resetUser(id)) })}
      >
        <p>{t.makesALinkWithWhich}</p>
      </Asks>
      <Dialog title={title} opened={link !== undefined} onClose={close}>
        {link && <ShowLink title={title} link={link} onDone={close} />}
      </Dialog>
    </>
  );
}

/** Gives a user another role, and offers to revoke the user's API keys with it. */
function ChangeRole({ opened, onClose }: { opened: Versioned<User>; onClose: () => void }) {
  const { record: user, etag, load } = useVersion(opened, userQuery(opened.record.id));
  const [form, field] = useFields({ role: user.role as Role, revokeKeys: false });
  const { role } = form.values;
  const impact = useQuery(impactQuery(user.id, role));
  const keys = impact.data?.keys ?? [];
  const conflict = {
    load: async () => ({ role: (await load()).role, revokeKeys: false }),
    labels: { role: common.role, revokeKeys: common.apiKeys },
  };
  const pending = impact.isPending ? t.lookingWhatStops : undefined;
  const blocked = role === user.role ? t.chooseAnotherRole : pending;
  return (
    <Form
      form={form}
      onSubmit={(values) => changeUser(user.id, etag, values)}
      action={t.changeRole}
      onCancel={onClose}
      blocked={blocked}
      conflict={conflict}
      done={t.isNow(user.email, withinSentence(ROLES[role]))}
      refreshes={AFFECTED}
      onDone={onClose}
    >
      <p>{t.theSessionsOfTheUserEndAtOnce}</p>
      <NativeSelect
        label={common.role}
        data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
        {...field("role")}
      />
      {role !== user.role && <Loaded query={impact}>{(found) => <RoleImpact role={role} impact={found} />}</Loaded>}
      {keys.length > 0 && (
        <Checkbox
          label={t.revokeTheOfTheUser(nouns.apiKey(keys.length))}
          description={t.forGoodOtherwiseTheyHave}
          {...field("revokeKeys", { type: "checkbox" })}
        />
      )}
    </Form>
  );
}
