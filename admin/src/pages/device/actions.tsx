import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/device.ts";
import { t as fleet } from "#texts/pages/fleet.ts";
import type { Versioned } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { DEVICES, type Device, deleteDevice, deviceQuery, disconnectDevice, replaceDevice } from "../../api/devices.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { GroupsField, PacksField } from "../../parts/form/choices-field.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { Action, Opens } from "../../ui/ui.ts";
import { AllowReenrollment } from "./allow-reenrollment.tsx";
import { metadataIn, metadataRule, metadataText } from "./metadata.ts";
import type { TabProps } from "./tab-props.ts";

export function DeviceActions({ device, etag }: TabProps) {
  const { id, name, connectivity } = device;
  const offline = connectivity.status === "online" ? undefined : t.theDeviceIsNotConnected;
  return (
    <>
      {useMay("listCertificates") && <Action label={t.connect} href={`/devices/${id}/connect`} />}
      {useMay("replaceDevice") && (
        <Opens label={t.edit} title={t.editTheDevice}>
          {(close) => <EditDevice opened={{ record: device, etag }} onClose={close} />}
        </Opens>
      )}
      {useMay("disconnectDevice") && (
        <Asks
          label={t.disconnect}
          impossible={offline}
          title={t.disconnect2(name)}
          action={t.disconnect}
          harmless
          run={() => disconnectDevice(id)}
          done={t.theSessionOfIsClosed(name)}
          refreshes={[DEVICES]}
        >
          <p>{t.itsSessionIsClosedAt}</p>
        </Asks>
      )}
      {useMay("allowReenrollment") && (
        <Opens
          label={fleet.allowReenrollment}
          title={fleet.allowReenrollmentOf(name)}
          disabled={device.hardwareFingerprint === null}
        >
          {(close) => <AllowReenrollment id={id} onClose={close} />}
        </Opens>
      )}
      {useMay("deleteDevice") && (
        <Asks
          label={common.delete}
          title={t.delete(name)}
          action={t.deleteDevice}
          typed={id}
          run={() => deleteDevice(id)}
          done={t.isDeleted(name)}
          leads="/devices"
          refreshes={[DEVICES]}
        >
          <p>{t.allItsCertificatesAreRevoked}</p>
        </Asks>
      )}
    </>
  );
}

/** Changes the fields of a device. A change that another user made in the meantime is not overwritten. */
function EditDevice({ opened, onClose }: { opened: Versioned<Device>; onClose: () => void }) {
  // Only administrators may change the type and the groups, which decide what a device may publish and who sees it.
  const assigns = useSession().user.role === "admin";
  const { record, etag, load } = useVersion(opened, deviceQuery(opened.record.id));
  const [form, field] = useFields(fieldsOf(record), "replaceDevice", { metadata: metadataRule });
  const conflict = { load: async () => fieldsOf(await load()), labels: LABELS, show: useShown() };
  const submit = ({ deviceTypeId, metadata, ...values }: Fields) =>
    replaceDevice(record.id, etag, { ...values, deviceTypeId: deviceTypeId || null, metadata: metadataIn(metadata) });
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={common.save}
      onCancel={onClose}
      conflict={conflict}
      done={common.saved}
      refreshes={[DEVICES]}
      onDone={onClose}
    >
      <TextInput label={common.name} data-autofocus {...field("name")} />
      <Textarea label={common.description} autosize minRows={2} {...field("description")} />
      {assigns && (
        <>
          <TypeField {...field("deviceTypeId")} />
          <GroupsField label={common.groups} description={t.theirMembersSeeTheDevice} {...field("groupIds")} />
        </>
      )}
      <PacksField description={t.theyWatchThisDeviceBeside} {...field("thresholdIds")} />
      <Textarea
        label={t.metadata}
        description={t.fieldsOfYourOwnAs}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        {...field("metadata")}
      />
    </Form>
  );
}

function TypeField(props: object) {
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  const choices = types.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <NativeSelect
      label={common.type}
      description={t.decidesTheTopicsOfCertificates}
      data={[{ value: "", label: common.none }, ...choices]}
      {...props}
    />
  );
}

function fieldsOf({ name, description, deviceTypeId, groupIds, thresholdIds, metadata }: Device) {
  const texts = { name, description, deviceTypeId: deviceTypeId ?? "", metadata: metadataText(metadata) };
  return { ...texts, groupIds, thresholdIds };
}

type Fields = ReturnType<typeof fieldsOf>;

const LABELS: Record<keyof Fields, string> = {
  name: common.name,
  description: common.description,
  deviceTypeId: common.type,
  groupIds: common.groups,
  thresholdIds: common.thresholdPacks,
  metadata: t.metadata,
};

/** Returns a type by its name and groups by their number. The form has their ids. */
function useShown() {
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  return (field: keyof Fields, value: unknown) => {
    if (field === "deviceTypeId") return types.find(({ id }) => id === value)?.name ?? common.none;
    return Array.isArray(value)
      ? (field === "groupIds" ? nouns.group : nouns.thresholdPack)(value.length)
      : String(value);
  };
}
