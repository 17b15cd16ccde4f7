import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
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
import { Ago, Dialog, Facts, Opens, plural, Section, Time } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { ClientsThatStop, KeysThatStop, RoleImpact } from "./impact.tsx";
import { type MadeLink, ShowLink } from "./show-link.tsx";

/** A user: role, state, and the API keys that stop with the account. */
export default function UserPage() {
  const { id } = usePathParams<"id">();
  const impact = useQuery(impactQuery(id));
  return (
    <RecordPage
      query={useQuery(userQuery(id))}
      back={{ href: "/users", label: "Users" }}
      kind="User"
      title={({ record }) => record.email}
      actions={(user) => <UserActions {...user} />}
      below={
        <Section
          title="API keys that stop with this user"
          lead="They stop for good when the user is deactivated or deleted, or completes a reset of the password."
        >
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
    Role: ROLES[user.role],
    State: user.status === "active" ? "Active" : "Deactivated",
    "Runs the installation": user.platform ? "yes" : "no",
    "Second factor": user.secondFactor ? "on" : "none",
    "Last active": <Ago at={user.lastUsedAt} none="not signed in" />,
    Since: <Time at={user.createdAt} />,
    Audit: <a href={`/audit?actor=user%3A${user.id}`}>what the user did</a>,
  };
}

function UserActions(user: Versioned<User>) {
  const { record, etag } = user;
  if (!useMay("changeUser")) return null;
  if (record.status !== "active")
    return (
      <>
        <Asks
          label="Reactivate"
          title={`Reactivate ${record.email}?`}
          action="Reactivate"
          harmless
          run={() => changeUser(record.id, etag, { status: "active" })}
          done={`${record.email} can sign in again.`}
          refreshes={[USERS]}
        >
          <p>The user can sign in with the former password. API keys that were revoked stay revoked.</p>
        </Asks>
        <Delete user={record} />
      </>
    );
  return (
    <>
      <Opens label="Change role" title={`Change the role of ${record.email}`}>
        {(close) => <ChangeRole opened={user} onClose={close} />}
      </Opens>
      <Reset user={record} />
      {record.secondFactor && <ResetFactor user={record} />}
      <Asks
        label="Deactivate"
        title={`Deactivate ${record.email}?`}
        action="Deactivate user"
        typed={record.email}
        run={() => changeUser(record.id, etag, { status: "deactivated" })}
        done={`${record.email} is deactivated.`}
        refreshes={AFFECTED}
      >
        <p>The sessions of the user end at once.</p>
        <Ends user={record}>
          They connect again once the user is reactivated, or when another administrator enables them.
        </Ends>
      </Asks>
      <Delete user={record} />
    </>
  );
}

const AFFECTED = [USERS, KEYS, MQTT_CLIENTS];

function Delete({ user }: { user: User }) {
  return (
    <Asks
      label="Delete"
      title={`Delete ${user.email}?`}
      action="Delete user"
      typed={user.email}
      run={() => deleteUser(user.id)}
      done={`${user.email} is deleted.`}
      leads="/users"
      refreshes={AFFECTED}
    >
      <p>The sessions of the user end at once. The account cannot be restored.</p>
      <Ends user={user}>They connect again when another administrator enables them.</Ends>
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
            <strong>
              {keys.length === 0 ? "No API key stops." : `These API keys stop for good (${keys.length}):`}
            </strong>
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
      label="Remove second factor"
      title={`Remove the second factor of ${email}?`}
      action="Remove second factor"
      run={() => resetFactor(id)}
      done={`The second factor of ${email} is removed.`}
      refreshes={[USERS]}
    >
      <p>
        For a user who lost the authenticator app and the recovery codes. Make sure that it is this person who asks for
        it.
      </p>
      <p>
        The sessions of the user end at once, and the recovery codes stop. From then on the password alone signs in,
        until the user sets up another second factor. API keys stay.
      </p>
    </Asks>
  );
}

function Reset({ user: { id, email } }: { user: User }) {
  const [link, setLink] = useState<MadeLink>();
  const title = `Reset link for ${email}`;
  const close = () => setLink(undefined);
  return (
    <>
      <Asks
        label="Reset password"
        title={`Reset the password of ${email}?`}
        action="Make a reset link"
        harmless
        run={async () => setLink({ email, ...(await resetUser(id)) })}
      >
        <p>
          Makes a link with which the user chooses a new password. Nothing changes until it is used; then the sessions
          of the user end, and so do the API keys that this page lists.
        </p>
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
    labels: { role: "Role", revokeKeys: "API keys" },
  };
  const pending = impact.isPending ? "Looking what stops …" : undefined;
  const blocked = role === user.role ? "Choose another role." : pending;
  return (
    <Form
      form={form}
      onSubmit={(values) => changeUser(user.id, etag, values)}
      action="Change role"
      onCancel={onClose}
      blocked={blocked}
      conflict={conflict}
      done={`${user.email} is ${ROLES[role].toLowerCase()} now.`}
      refreshes={AFFECTED}
      onDone={onClose}
    >
      <p>The sessions of the user end at once; the user signs in again.</p>
      <NativeSelect
        label="Role"
        data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
        {...field("role")}
      />
      {role !== user.role && <Loaded query={impact}>{(found) => <RoleImpact role={role} impact={found} />}</Loaded>}
      {keys.length > 0 && (
        <Checkbox
          label={`Revoke the ${plural(keys.length, "API key")} of the user, too`}
          description="For good. Otherwise they have what the role allows, and all of their scopes again once the user is an administrator again."
          {...field("revokeKeys", { type: "checkbox" })}
        />
      )}
    </Form>
  );
}
