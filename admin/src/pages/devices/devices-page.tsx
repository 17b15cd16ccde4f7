import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/devices.ts";
import { t as fleet } from "#texts/pages/fleet.ts";
import { t as parts } from "#texts/parts.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { createDevice, DEVICES, devicesQuery, metadataFieldsQuery } from "../../api/devices.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { GroupsField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useSelection } from "../../parts/list/use-selection.ts";
import { useWhyNoDevice } from "../../parts/list/use-why-no-device.ts";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Action, Empty, NEW, Opens, Page } from "../../ui/ui.ts";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { ChooseColumns } from "./choose-columns.tsx";
import { useDeviceColumns } from "./columns.tsx";
import { deviceFilters, queryOf } from "./filters.ts";
import { ImportDevices } from "./import/import-devices.tsx";

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
  const fields = useQuery(metadataFieldsQuery).data?.items ?? [];
  const filters = deviceFilters(types, groups, packs, fields);
  const shown = useDeviceColumns(types, groups, fields, list.values);
  const [selected, onChange] = useSelection(query);
  const maySelect = useMay("changeDevices");
  const connect = useMay("createClaim") && <Action main label={common.connectADevice} href="/connect" />;
  return (
    <Page
      title={common.devices}
      actions={
        <>
          <AddActions types={types} />
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
        columns={shown.columns}
        dense={shown.isDense}
        href={({ id }) => `/devices/${id}`}
        sorting={list.sorting}
        selection={maySelect ? { selected, onChange } : undefined}
        csv={[DEVICES, query]}
        empty={<NoDevices action={connect} />}
      >
        <div className="row">
          <SavedFilters of="devices" filters={filters} list={list} />
          <ChooseColumns shown={shown} onChange={list.onShow} />
        </div>
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

function AddActions({ types }: { types: Types }) {
  return (
    <>
      {useMay("importDevices") && (
        <Opens wide keep at="import" label={fleet.import} title={fleet.importDevices}>
          {(close) => <ImportDevices onClose={close} />}
        </Opens>
      )}
      {useMay("createDevice") && (
        <Opens at={NEW} label={t.addDevice} title={t.addADevice}>
          {(close) => <AddDevice onClose={close} types={types} />}
        </Opens>
      )}
    </>
  );
}

function NoDevices({ action }: { action: React.ReactNode }) {
  const { role } = useSession().user;
  const why = useWhyNoDevice();
  if (role !== "admin") return <Empty title={parts.youSeeNoDevice}>{why}</Empty>;
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
