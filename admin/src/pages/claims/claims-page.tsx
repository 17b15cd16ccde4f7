import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
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

const STATES = { pending: "open or expired", used: "used", revoked: "revoked" };
const FILTERS: readonly Filter[] = [
  { kind: "choice", name: "status", label: "State", options: Object.entries(STATES) },
];
const COLUMNS: readonly Column<Claim>[] = [
  { title: "For", main: true, cell: ({ intendedName }) => intendedName },
  { title: "State", cell: (claim) => <ClaimState claim={claim} plain /> },
  { title: "Uses", numeric: true, cell: ({ usedCount, maxUses }) => `${usedCount} of ${maxUses}` },
  { title: "Code", cell: ({ codeHint }) => <span className="mono">…-{codeHint}</span> },
  { title: "Expires", cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: "By", cell: ({ createdBy }) => <Actor of={createdBy} /> },
];

export default function ClaimsPage() {
  const list = useListState();
  const status = (list.values.status || undefined) as Claim["status"] | undefined;
  const [button, dialog] = useOpens({
    main: true,
    label: "Create claim",
    title: "Create a claim",
    children: (close) => <CreateClaim onClose={close} />,
  });
  const create = useMay("createClaim") && button;
  return (
    <Page
      title="Claims"
      lead="With a claim code a device enrolls itself: it makes its own key and gets a certificate for it."
      actions={create}
    >
      <Records
        label="Claims"
        of="claim"
        list={list}
        filters={FILTERS}
        query={useQuery(claimsQuery(status, list.skip))}
        columns={COLUMNS}
        href={({ id }) => `/claims/${id}`}
        csv={[CLAIMS, { status }]}
        empty={
          <Empty title="There is no claim yet." action={create}>
            Create one for each device, or one with several uses for a batch of devices.
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
  [5, "5 minutes"],
  [15, "15 minutes"],
  [60, "an hour"],
  [240, "4 hours"],
  [480, "8 hours"],
  [1_440, "a day"],
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
      action="Create claim"
      onCancel={onClose}
      leads={({ id }) => `/claims/${id}`}
      refreshes={[CLAIMS]}
    >
      <TextInput
        label="For"
        description="The name that its devices get."
        placeholder="Feed pump 1"
        data-autofocus
        {...field("intendedName")}
      />
      <NativeSelect
        label="Type"
        description="Decides the topics that its devices may publish on."
        data={[
          ...types.map(({ id, name, publishTopics }) => ({ value: id, label: `${name}: ${publishTopics.join(", ")}` })),
          { value: "", label: "no type: its devices publish on no topic" },
        ]}
        {...field("intendedDeviceTypeId")}
      />
      <NumberInput
        label="Devices"
        description="How many devices can enroll with the code."
        allowDecimal={false}
        min={minimum ?? 1}
        max={maximum ?? Number.MAX_SAFE_INTEGER}
        {...field("maxUses")}
      />
      <NativeSelect
        label="Valid for"
        data={LIVES.map(([minutes, label]) => ({ value: String(minutes), label }))}
        {...field("expiresInMinutes")}
      />
      <GroupsField
        label="Groups"
        description="Its devices join them. Without a group only administrators see the devices."
        {...field("intendedGroupIds")}
      />
    </Form>
  );
}
