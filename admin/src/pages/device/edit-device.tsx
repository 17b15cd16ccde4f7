import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, must } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { deviceQuery } from "../../api/devices.ts";
import { Form } from "../../parts/form/form.tsx";
import { GroupsField } from "../../parts/form/groups-field.tsx";
import { PacksField } from "../../parts/form/packs-field.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { useSession } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { plural } from "../../ui/display/format.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { metadataIn, metadataRule, metadataText } from "./metadata.ts";
import type { TabProps } from "./tab-props.ts";

interface EditDeviceProps extends TabProps {
  opened: boolean;
  onClose: () => void;
}

/** Changes what can be changed of a device. A change that another user made in the mean time is not overwritten. */
export function EditDevice({ opened, onClose, ...props }: EditDeviceProps) {
  return (
    <Dialog title="Edit the device" opened={opened} onClose={onClose}>
      <EditDeviceForm onClose={onClose} {...props} />
    </Dialog>
  );
}

function EditDeviceForm({ onClose, ...opened }: Omit<EditDeviceProps, "opened">) {
  const queries = useQueryClient();
  // The service leaves type and groups to administrators: they decide what a device may publish, and who sees it.
  const assigns = useSession().user.role === "admin";
  // The version that is changed: the screen goes on to follow the device meanwhile.
  const [{ device, etag }, setVersion] = useState<TabProps>(opened);
  const form = useForm({
    mode: "controlled",
    initialValues: fieldsOf(device),
    validate: { ...rulesOf("replaceDevice", ["name", "description"]), metadata: metadataRule },
  });
  const load = async () => {
    const now = await queries.fetchQuery({ ...deviceQuery(device.id), staleTime: 0 });
    setVersion(now);
    return fieldsOf(now.device);
  };
  const submit = async ({ deviceTypeId, metadata, ...values }: typeof form.values) => {
    const body = { ...values, deviceTypeId: deviceTypeId || null, metadata: metadataIn(metadata) };
    const params = { path: { id: device.id }, header: { "If-Match": etag } };
    await must(api.PUT("/api/admin/devices/{id}", { params, body }));
    await queries.invalidateQueries({ queryKey: ["/api/admin/devices"] });
    toast("Saved.");
    onClose();
  };
  const show = useShown();
  return (
    <Form form={form} onSubmit={submit} action="Save" onCancel={onClose} conflict={{ load, labels: LABELS, show }}>
      <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
      {assigns && (
        <>
          <TypeField {...form.getInputProps("deviceTypeId")} />
          <GroupsField
            label="Groups"
            description="Their members see the device and are notified of its anomalies. Without a group only administrators see it."
            {...form.getInputProps("groupIds")}
          />
        </>
      )}
      <PacksField
        description="They watch this device, beside those of its type."
        {...form.getInputProps("thresholdIds")}
      />
      <Textarea
        label="Metadata"
        description="Fields of your own, as a JSON object."
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        {...form.getInputProps("metadata")}
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

function fieldsOf({ name, description, deviceTypeId, groupIds, thresholdIds, metadata }: TabProps["device"]) {
  return {
    name,
    description,
    deviceTypeId: deviceTypeId ?? "",
    groupIds,
    thresholdIds,
    metadata: metadataText(metadata),
  };
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

/** Names types and groups, which the form has by their ids. */
function useShown() {
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  return (field: keyof Fields, value: unknown) => {
    if (field === "deviceTypeId") return types.find(({ id }) => id === value)?.name ?? "none";
    return Array.isArray(value)
      ? plural(value.length, field === "groupIds" ? "group" : "threshold pack")
      : String(value);
  };
}
