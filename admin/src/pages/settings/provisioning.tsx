import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/settings/provisioning.ts";
import {
  createScimToken,
  deleteScimToken,
  mapScimGroup,
  PROVISIONING,
  provisioningQuery,
  type Provisioning as Shown,
} from "../../api/provisioning.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { GroupsField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { numberText } from "../../texts/number-text.ts";
import { type Column, CopyBlock, Empty, Facts, Opens, Secret, ShownOnce, Table, Time } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";

/** The provisioning by an identity provider: its token, and the meaning of its groups. */
export function Provisioning() {
  return <Loaded query={useQuery(provisioningQuery)}>{(shown) => <Content shown={shown} />}</Loaded>;
}

function Content({ shown: { url, token, groups } }: { shown: Shown }) {
  const may = useMay("createScimToken");
  return (
    <>
      {token && <Facts facts={factsOf(token)} />}
      {!token && <p className="soft">{t.thereIsNoToken}</p>}
      <CopyBlock label={t.address}>{url}</CopyBlock>
      {may && (
        <div className="row">
          <Opens label={token ? t.replaceToken : t.makeToken} title={token ? t.replaceTheToken : t.makeAToken}>
            {(close) => <MakeToken replaces={token !== null} url={url} onClose={close} />}
          </Opens>
          {token && <EndProvisioning id={token.id} />}
        </div>
      )}
      {token && groups.length === 0 && <Empty title={t.noGroupYet}>{t.theProviderSendsThem}</Empty>}
      {groups.length > 0 && <Table label={t.groups} columns={COLUMNS} rows={groups} rowKey={({ id }) => id} />}
    </>
  );
}

const factsOf = ({ createdAt, createdBy, lastUsedAt, lastUsedAddress }: NonNullable<Shown["token"]>) => ({
  [common.created]: (
    <>
      <Time at={createdAt} /> <Actor of={createdBy} />
    </>
  ),
  [common.lastUsed]: (
    <>
      <Time at={lastUsedAt} none="–" /> {lastUsedAddress}
    </>
  ),
});

function MakeToken({ replaces, url, onClose }: { replaces: boolean; url: string; onClose: () => void }) {
  const [token, setToken] = useState<string>();
  const [form] = useFields({}, "createScimToken");
  const submit = async () => setToken((await createScimToken()).token);
  if (token !== undefined)
    return (
      <ShownOnce title={t.theNewToken} done={t.iHaveCopiedIt} onDone={onClose}>
        <Secret label={t.token} value={token}>
          <CopyBlock label={t.address}>{url}</CopyBlock>
        </Secret>
      </ShownOnce>
    );
  const action = replaces ? t.replaceToken : t.makeToken;
  return (
    <Form form={form} onSubmit={submit} action={action} onCancel={onClose} refreshes={[PROVISIONING]}>
      <p>{replaces ? t.theFormerTokenStops : t.itLetsTheProvider}</p>
    </Form>
  );
}

function EndProvisioning({ id }: { id: string }) {
  return (
    <Asks
      label={t.removeToken}
      title={t.removeTheToken}
      action={t.removeToken}
      run={() => deleteScimToken(id)}
      done={t.theTokenIsRemoved}
      refreshes={[PROVISIONING]}
    >
      <p>{t.usersAndGroupsStay}</p>
    </Asks>
  );
}

type Group = Shown["groups"][number];

const COLUMNS: readonly Column<Group>[] = [
  { title: t.groupOfTheProvider, main: true, cell: ({ displayName }) => displayName },
  { title: t.members, numeric: true, cell: ({ members }) => numberText(members) },
  { title: common.role, cell: ({ role }) => (role ? ROLES[role] : "–") },
  { title: common.groups, cell: ({ groupIds }) => <GroupNames ids={groupIds} none="–" /> },
  { title: "", cell: (group) => <MapGroup group={group} /> },
];

function MapGroup({ group }: { group: Group }) {
  const may = useMay("mapScimGroup");
  if (!may) return null;
  return (
    <Opens label={t.change} title={t.whatStandsFor(group.displayName)}>
      {(close) => <Mapping group={group} onClose={close} />}
    </Opens>
  );
}

const ROLE_CHOICES = [
  { value: "", label: t.noRole },
  ...Object.entries(ROLES).map(([value, label]) => ({ value, label })),
];

function Mapping({ group, onClose }: { group: Group; onClose: () => void }) {
  const [form, field] = useFields({ role: group.role ?? "", groupIds: [...group.groupIds] }, "mapScimGroup");
  const submit = async ({ role, groupIds }: typeof form.values) => {
    await mapScimGroup(group.id, { role: role === "" ? null : (role as NonNullable<Group["role"]>), groupIds });
    onClose();
  };
  return (
    <Form form={form} onSubmit={submit} action={common.save} onCancel={onClose} refreshes={[PROVISIONING]}>
      <p className="soft">{t.theMembersGetIt}</p>
      <NativeSelect label={common.role} data={ROLE_CHOICES} {...field("role")} />
      <GroupsField label={common.groups} {...field("groupIds")} />
    </Form>
  );
}
