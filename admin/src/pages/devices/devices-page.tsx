import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { createDevice, DEVICES, type Device, type DeviceQuery, devicesQuery } from "../../api/devices.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { instantOf, negatable } from "../../parts/filter-values.ts";
import { GroupsField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useSelection } from "../../parts/list/use-selection.ts";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Word } from "../../parts/word.tsx";
import { Action, Ago, type Column, Empty, type Filter, Opens, Page } from "../../ui/ui.ts";
import { CERTIFICATE_STATES, CONNECTIVITY, choicesOf } from "../../words/devices.ts";
import { BulkBar } from "./bulk/bulk-bar.tsx";

type Types = readonly { id: string; name: string }[];

/** The devices of the tenant, or of the user's groups: found, narrowed, sorted. */
export default function DevicesPage() {
  const list = useListState();
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const packs = useQuery(thresholdChoicesQuery).data?.items ?? [];
  const query = queryOf(list);
  const read = useQuery(devicesQuery(query));
  const { items = [], total = 0 } = read.data ?? {};
  const filters = deviceFilters(types, groups, packs);
  const [selected, onChange] = useSelection(query);
  const [maySelect, mayCreate] = [useMay("changeDevices"), useMay("createDevice")];
  const connect = useMay("createClaim") && <Action main label={common.connectADevice} href="/connect" />;
  return (
    <Page
      title={common.devices}
      actions={
        <>
          {mayCreate && (
            <Opens label={t.addDevice} title={t.addADevice}>
              {(close) => <AddDevice onClose={close} types={types} />}
            </Opens>
          )}
          {connect}
        </>
      }
    >
      <Records
        label={common.devices}
        of={nouns.device}
        list={list}
        filters={filters}
        query={read}
        columns={columnsOf(types)}
        href={({ id }) => `/devices/${id}`}
        sorting={list.sorting}
        selection={maySelect ? { selected, onChange } : undefined}
        csv={[DEVICES, query]}
        empty={<NoDevices action={connect} />}
      >
        <SavedFilters of="devices" filters={filters} list={list} />
      </Records>
      <BulkBar
        selected={selected}
        onSelect={onChange}
        page={items.map(({ id }) => id)}
        query={query}
        total={total}
        types={types}
      />
    </Page>
  );
}

function columnsOf(types: Types): readonly Column<Device>[] {
  const nameOfType = new Map(types.map(({ id, name }) => [id, name]));
  return [
    { title: common.name, sort: "name", main: true, cell: ({ name }) => name },
    { title: common.deviceId, sort: "id", cell: ({ id }) => <span className="mono">{id}</span> },
    { title: t.connection, cell: ({ connectivity }) => <Word of={CONNECTIVITY} value={connectivity.status} plain /> },
    {
      title: common.certificate,
      sort: "certificateExpiresAt",
      cell: ({ certificateState }) => <Word of={CERTIFICATE_STATES} value={certificateState} plain />,
    },
    {
      title: common.type,
      cell: ({ deviceTypeId: id }) => (id ? (nameOfType.get(id) ?? id) : <span className="soft">{common.none}</span>),
    },
    { title: t.lastSeen, sort: "lastSeenAt", cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
  ];
}

function NoDevices({ action }: { action: React.ReactNode }) {
  if (useSession().user.role !== "admin") return <Empty title={t.youSeeNoDevice}>{t.youSeeTheDevicesOf}</Empty>;
  return (
    <Empty title={t.thereIsNoDeviceYet} action={action}>
      {t.aDeviceThatCanGenerate}
    </Empty>
  );
}

/** Adds a device that cannot enroll itself; its certificate is issued on its page. */
function AddDevice({ onClose, types }: { onClose: () => void; types: Types }) {
  const initial = { name: "", id: "", deviceTypeId: types[0]?.id ?? "", groupIds: [] as string[] };
  const [form, field] = useFields(initial, "createDevice");
  const submit = ({ id, deviceTypeId, ...values }: typeof form.values) =>
    createDevice({ ...values, ...(id.trim() && { id: id.trim() }), ...(deviceTypeId && { deviceTypeId }) });
  const choices = types.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={t.addDevice}
      onCancel={onClose}
      leads={({ id }) => `/devices/${id}`}
      refreshes={[DEVICES]}
    >
      <p>{t.forADeviceThatCannot}</p>
      <TextInput label={common.name} data-autofocus {...field("name")} />
      <TextInput label={common.deviceId} description={t.lettersDigitsAndItIs} spellCheck={false} {...field("id")} />
      <NativeSelect
        label={common.type}
        description={t.decidesTheTopicsThatThe}
        data={[...choices, { value: "", label: t.noneItMayPublishNowhere }]}
        {...field("deviceTypeId")}
      />
      <GroupsField label={common.groups} description={t.theirMembersSeeTheDevice} {...field("groupIds")} />
    </Form>
  );
}

const PAGE = 50;

type Named = Readonly<Record<"id" | "name", string>>;

function deviceFilters(types: readonly Named[], groups: readonly Named[], packs: readonly Named[]): readonly Filter[] {
  return [
    { kind: "text", name: "q", label: t.nameOrDeviceId, placeholder: t.pump, maxLength: 128 },
    { kind: "choice", name: "connectivity", label: t.connection, options: choicesOf(CONNECTIVITY), not: true },
    {
      kind: "choice",
      name: "certificateState",
      label: common.certificate,
      options: choicesOf(CERTIFICATE_STATES),
      not: true,
    },
    { kind: "choice", name: "deviceTypeId", label: common.type, options: [...choicesFrom(types), NONE], not: true },
    { kind: "choice", name: "groupId", label: common.group, options: [...choicesFrom(groups), NONE], not: true },
    { kind: "choice", name: "thresholdId", label: common.thresholdPack, options: choicesFrom(packs), not: true },
    { kind: "time", name: "createdFrom", label: t.createdFrom },
    { kind: "time", name: "createdBefore", label: t.createdBefore },
    { kind: "time", name: "seenFrom", label: t.lastSeenFrom },
    { kind: "time", name: "seenBefore", label: t.lastSeenBefore },
  ];
}

const NONE = ["none", common.none] as const;
const choicesFrom = (records: readonly Named[]) => records.map(({ id, name }) => [id, name] as const);
const TIMES = ["createdFrom", "createdBefore", "seenFrom", "seenBefore"] as const;

/** Returns the query of the API for the state of the address. */
function queryOf({ values, sort, skip }: ListState): DeviceQuery {
  const { q } = values;
  const narrowed = negatable(values, "connectivity", "certificateState", "deviceTypeId", "groupId", "thresholdId");
  const times = Object.fromEntries(TIMES.map((name) => [name, instantOf(values[name])]));
  return { ...narrowed, ...times, q, sort, skip, limit: PAGE } as DeviceQuery;
}
