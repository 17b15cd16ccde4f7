import { createDeviceType, type DeviceType } from "../../api/device-types.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { DeviceTypeForm } from "./device-type-form.tsx";

interface CreateDeviceTypeProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (type: DeviceType) => Promise<void>;
}

/** Creates a device type. */
export function CreateDeviceType({ opened, onClose, onCreated }: CreateDeviceTypeProps) {
  return (
    <Dialog title="Create a device type" opened={opened} onClose={onClose}>
      <DeviceTypeForm
        operation="createDeviceType"
        action="Create device type"
        onCancel={onClose}
        onSubmit={async (body) => onCreated(await createDeviceType(body))}
      />
    </Dialog>
  );
}
