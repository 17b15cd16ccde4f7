import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/claims.ts";
import { t as fleet } from "#texts/pages/fleet.ts";
import { CLAIMS, type Claim, claimCodeQuery, claimsQuery, createClaim } from "../../api/claims.ts";
import { type DeviceType, deviceTypesQuery } from "../../api/device-types.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupsField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { boundsOf } from "../../parts/form/rules.ts";
import { Records } from "../../parts/list/records.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, Empty, type Filter, Page, Time, useOpens } from "../../ui/ui.ts";
import { ClaimState } from "./claim-state.tsx";

const STATES = { pending: t.openOrExpired, used: common.states.used, revoked: common.states.revoked };
const FILTERS: readonly Filter[] = [
  { kind: "choice", name: "status", label: common.state, options: Object.entries(STATES) },
];
const COLUMNS: readonly Column<Claim>[] = [
  { title: t.for, main: true, cell: ({ intendedName }) => intendedName },
  { title: common.state, cell: (claim) => <ClaimState claim={claim} plain /> },
  { title: t.uses, numeric: true, cell: ({ usedCount, maxUses }) => t.of(usedCount, maxUses) },
  { title: common.code, cell: ({ codeHint }) => <span className="mono">…-{codeHint}</span> },
  { title: common.expires, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { title: common.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: common.by, cell: ({ createdBy }) => <Actor of={createdBy} /> },
];

export default function ClaimsPage() {
  const list = useListState();
  const status = (list.values.status || undefined) as Claim["status"] | undefined;
  const [button, dialog] = useOpens({
    main: true,
    label: t.createClaim,
    title: t.createAClaim,
    children: (close) => <CreateClaim onClose={close} />,
  });
  const create = useMay("createClaim") && button;
  return (
    <Page title={t.claims} lead={t.withAClaimCodeA} actions={create}>
      <Records
        label={t.claims}
        of={nouns.claim}
        list={list}
        filters={FILTERS}
        query={useQuery(claimsQuery(status, list.skip))}
        columns={COLUMNS}
        href={({ id }) => `/claims/${id}`}
        csv={[CLAIMS, { status }]}
        empty={
          <Empty title={t.thereIsNoClaimYet} action={create}>
            {t.createOneForEachDevice}
          </Empty>
        }
      />
      {dialog}
    </Page>
  );
}

function CreateClaim({ onClose }: { onClose: () => void }) {
  return (
    <Loaded query={useQuery(deviceTypesQuery)}>{({ items }) => <Fields types={items} onClose={onClose} />}</Loaded>
  );
}

/** The lifetimes to choose from, in minutes; the service bounds them. */
const LIVES: readonly (readonly [minutes: number, label: string])[] = [
  [5, t.n5Minutes],
  [15, t.n15Minutes],
  [60, t.anHour],
  [240, t.n4Hours],
  [480, t.n8Hours],
  [1_440, t.aDay],
];
const NEW = {
  intendedName: "",
  intendedGroupIds: [] as string[],
  expiresInMinutes: "60",
  maxUses: 1 as number | string,
};

/** Creates a claim and opens its page, which shows the code. */
function Fields({ types, onClose }: { types: readonly DeviceType[]; onClose: () => void }) {
  const queries = useQueryClient();
  const [form, field] = useFields({ ...NEW, intendedDeviceTypeId: types[0]?.id ?? "" }, "createClaim");
  const submit = async ({ intendedDeviceTypeId, expiresInMinutes, maxUses, ...values }: typeof form.values) => {
    const type = intendedDeviceTypeId === "" ? {} : { intendedDeviceTypeId };
    const numbers = { expiresInMinutes: Number(expiresInMinutes), maxUses: Number(maxUses) };
    const claim = await createClaim({ ...values, ...type, ...numbers });
    queries.setQueryData(claimCodeQuery(claim.id).queryKey, claim.claimCode);
    return claim;
  };
  const { minimum, maximum } = boundsOf("createClaim", "maxUses");
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={t.createClaim}
      onCancel={onClose}
      leads={({ id }) => `/claims/${id}`}
      refreshes={[CLAIMS]}
    >
      <TextInput
        label={t.for}
        description={`${t.theNameThatItsDevices} ${fleet.nameHelp}`}
        placeholder={t.feedPump1}
        data-autofocus
        {...field("intendedName")}
      />
      <NamePreview name={form.values.intendedName} uses={Number(form.values.maxUses)} />
      <NativeSelect
        label={common.type}
        description={t.decidesTheTopicsThatIts}
        data={[
          ...types.map(({ id, name, publishTopics }) => ({ value: id, label: `${name}: ${publishTopics.join(", ")}` })),
          { value: "", label: t.noTypeItsDevicesPublish },
        ]}
        {...field("intendedDeviceTypeId")}
      />
      <NumberInput
        label={common.devices}
        description={t.howManyDevicesCanEnroll}
        allowDecimal={false}
        min={minimum ?? 1}
        max={maximum ?? Number.MAX_SAFE_INTEGER}
        {...field("maxUses")}
      />
      <NativeSelect
        label={t.validFor}
        data={LIVES.map(([minutes, label]) => ({ value: String(minutes), label }))}
        {...field("expiresInMinutes")}
      />
      <GroupsField label={common.groups} description={t.itsDevicesJoinThemWithout} {...field("intendedGroupIds")} />
    </Form>
  );
}

/** Says how several devices will be named. */
function NamePreview({ name, uses }: { name: string; uses: number }) {
  if (uses < 2 || name.trim() === "") return null;
  if (!name.includes("{n}")) return name.includes("{fingerprint}") ? null : <p className="soft">{fleet.sameName}</p>;
  const numbered = (n: number) => name.trim().replace("{n}", String(n));
  return <p className="soft">{fleet.namesLike(numbered(1), numbered(2))}</p>;
}
