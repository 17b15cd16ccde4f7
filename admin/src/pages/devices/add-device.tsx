import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api, must } from "../../api/client.ts";
import { Form } from "../../parts/form/form.tsx";
import { GroupsField } from "../../parts/form/groups-field.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { Dialog } from "../../ui/input/dialog.tsx";

interface AddDeviceProps {
  opened: boolean;
  onClose: () => void;
  types: readonly { id: string; name: string }[];
}

/** Adds a device that cannot enroll itself; its certificate is issued on its page. */
export function AddDevice({ opened, onClose, types }: AddDeviceProps) {
  return (
    <Dialog title="Add a device" opened={opened} onClose={onClose}>
      <AddDeviceForm onClose={onClose} types={types} />
    </Dialog>
  );
}

function AddDeviceForm({ onClose, types }: Omit<AddDeviceProps, "opened">) {
  const queries = useQueryClient();
  const router = useRouter();
  const form = useForm({
    mode: "controlled",
    initialValues: { name: "", id: "", deviceTypeId: types[0]?.id ?? "", groupIds: [] as string[] },
    validate: rulesOf("createDevice", ["name", "id"]),
  });
  const submit = async ({ id, deviceTypeId, ...values }: typeof form.values) => {
    const body = { ...values, ...(id.trim() ? { id: id.trim() } : {}), ...(deviceTypeId ? { deviceTypeId } : {}) };
    const device = await must(api.POST("/api/admin/devices", { body }));
    await queries.invalidateQueries({ queryKey: ["/api/admin/devices"] });
    onClose();
    await router.navigate({ to: `/devices/${device.id}` });
  };
  const choices = types.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Form form={form} onSubmit={submit} action="Add device" onCancel={onClose}>
      <p>For a device that cannot generate a key of its own. One that can is connected with a claim, which adds it.</p>
      <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
      <TextInput
        label="Device id"
        description="Letters, digits, - and _. It is the MQTT client id and never changes. Empty: the service chooses one."
        spellCheck={false}
        {...form.getInputProps("id")}
      />
      <NativeSelect
        label="Type"
        description="Decides the topics that the device may publish on."
        data={[...choices, { value: "", label: "none: it may publish nowhere" }]}
        {...form.getInputProps("deviceTypeId")}
      />
      <GroupsField
        label="Groups"
        description="Their members see the device. Without a group only administrators see it."
        {...form.getInputProps("groupIds")}
      />
    </Form>
  );
}
