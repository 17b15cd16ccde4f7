import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, must } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { toast } from "../../parts/toasts.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import type { TabProps } from "./device-page.tsx";

interface EditDeviceProps extends TabProps {
  opened: boolean;
  onClose: () => void;
}

/** Changes name, description and type. A change that another user made in the mean time is not overwritten. */
export function EditDevice({ opened, onClose, ...props }: EditDeviceProps) {
  return (
    <Dialog title="Edit the device" opened={opened} onClose={onClose}>
      <EditDeviceForm onClose={onClose} {...props} />
    </Dialog>
  );
}

function EditDeviceForm({ onClose, device, etag }: Omit<EditDeviceProps, "opened">) {
  const queries = useQueryClient();
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  const { name, description, deviceTypeId, groupIds, thresholdIds, metadata } = device;
  const form = useForm({
    mode: "controlled",
    initialValues: { name, description, deviceTypeId: deviceTypeId ?? "" },
    validate: rulesOf("replaceDevice", ["name", "description"]),
  });
  const submit = async (values: { name: string; description: string; deviceTypeId: string }) => {
    const body = { ...values, deviceTypeId: values.deviceTypeId || null, groupIds, thresholdIds, metadata };
    const params = { path: { id: device.id }, header: { "If-Match": etag } };
    await must(api.PUT("/api/admin/devices/{id}", { params, body }));
    await queries.invalidateQueries({ queryKey: ["/api/admin/devices"] });
    toast("Saved.");
    onClose();
  };
  const choices = types.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Form form={form} onSubmit={submit} action="Save" onCancel={onClose}>
      <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
      <NativeSelect
        label="Type"
        description="Decides the topics of certificates that are issued from now on. Those of live certificates stay."
        data={[{ value: "", label: "none" }, ...choices]}
        {...form.getInputProps("deviceTypeId")}
      />
    </Form>
  );
}
