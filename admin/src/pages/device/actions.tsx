import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Versioned } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { DEVICES, type Device, deleteDevice, deviceQuery, disconnectDevice, replaceDevice } from "../../api/devices.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { GroupsField, PacksField } from "../../parts/form/choices-field.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { Action, Opens, plural } from "../../ui/ui.ts";
import { metadataIn, metadataRule, metadataText } from "./metadata.ts";
import type { TabProps } from "./tab-props.ts";

export function DeviceActions({ device, etag }: TabProps) {
  const { id, name, connectivity } = device;
  const offline = connectivity.status === "online" ? undefined : "The device is not connected.";
  return (
    <>
      {useMay("listCertificates") && <Action label="Connect" href={`/devices/${id}/connect`} />}
      {useMay("replaceDevice") && (
        <Opens label="Edit" title="Edit the device">
          {(close) => <EditDevice opened={{ record: device, etag }} onClose={close} />}
        </Opens>
      )}
      {useMay("disconnectDevice") && (
        <Asks
          label="Disconnect"
          impossible={offline}
          title={`Disconnect ${name}?`}
          action="Disconnect"
          harmless
          run={() => disconnectDevice(id)}
          done={`The session of ${name} is closed.`}
          refreshes={[DEVICES]}
        >
          <p>
            Its session is closed at once. Its certificates stay valid, and most clients connect again by themselves: to
            keep it out, revoke its certificates.
          </p>
        </Asks>
      )}
      {useMay("deleteDevice") && (
        <Asks
          label="Delete"
          title={`Delete ${name}?`}
          action="Delete device"
          typed={id}
          run={() => deleteDevice(id)}
          done={`${name} is deleted.`}
          leads="/devices"
          refreshes={[DEVICES]}
        >
          <p>
            All its certificates are revoked and its session ends at once. Its telemetry is deleted. Its audit entries
            stay. This cannot be undone.
          </p>
        </Asks>
      )}
    </>
  );
}

/** Changes the fields of a device. A change that another user made in the meantime is not overwritten. */
function EditDevice({ opened, onClose }: { opened: Versioned<Device>; onClose: () => void }) {
  // The service leaves type and groups to administrators: they decide what a device may publish, and who sees it.
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
      action="Save"
      onCancel={onClose}
      conflict={conflict}
      done="Saved."
      refreshes={[DEVICES]}
      onDone={onClose}
    >
      <TextInput label="Name" data-autofocus {...field("name")} />
      <Textarea label="Description" autosize minRows={2} {...field("description")} />
      {assigns && (
        <>
          <TypeField {...field("deviceTypeId")} />
          <GroupsField
            label="Groups"
            description="Their members see the device and are notified of its anomalies. Without a group only administrators see it."
            {...field("groupIds")}
          />
        </>
      )}
      <PacksField description="They watch this device, beside those of its type." {...field("thresholdIds")} />
      <Textarea
        label="Metadata"
        description="Fields of your own, as a JSON object."
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
      label="Type"
      description="Decides the topics of certificates that are issued from now on. Those of live certificates stay."
      data={[{ value: "", label: "none" }, ...choices]}
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
  name: "Name",
  description: "Description",
  deviceTypeId: "Type",
  groupIds: "Groups",
  thresholdIds: "Threshold packs",
  metadata: "Metadata",
};

/** Names types and counts groups, which the form has by their ids. */
function useShown() {
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  return (field: keyof Fields, value: unknown) => {
    if (field === "deviceTypeId") return types.find(({ id }) => id === value)?.name ?? "none";
    return Array.isArray(value)
      ? plural(value.length, field === "groupIds" ? "group" : "threshold pack")
      : String(value);
  };
}
