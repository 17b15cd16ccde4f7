import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, must } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { Form } from "../../parts/form/form.tsx";
import { GroupsField } from "../../parts/form/groups-field.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { useSession } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import type { TabProps } from "./device-page.tsx";
import { metadataIn, metadataRule, metadataText } from "./metadata.ts";

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

function EditDeviceForm({ onClose, device, etag }: Omit<EditDeviceProps, "opened">) {
  const queries = useQueryClient();
  // The service leaves type and groups to administrators: they decide what a device may publish, and who sees it.
  const assigns = useSession().user.role === "admin";
  const { name, description, deviceTypeId, groupIds, thresholdIds } = device;
  const form = useForm({
    mode: "controlled",
    initialValues: {
      name,
      description,
      deviceTypeId: deviceTypeId ?? "",
      groupIds,
      metadata: metadataText(device.metadata),
    },
    validate: { ...rulesOf("replaceDevice", ["name", "description"]), metadata: metadataRule },
  });
  const submit = async ({ deviceTypeId, metadata, ...values }: typeof form.values) => {
    const body = { ...values, deviceTypeId: deviceTypeId || null, thresholdIds, metadata: metadataIn(metadata) };
    const params = { path: { id: device.id }, header: { "If-Match": etag } };
    await must(api.PUT("/api/admin/devices/{id}", { params, body }));
    await queries.invalidateQueries({ queryKey: ["/api/admin/devices"] });
    toast("Saved.");
    onClose();
  };
  return (
    <Form form={form} onSubmit={submit} action="Save" onCancel={onClose}>
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
