import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { api, must } from "../../api/client.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Disconnect } from "./disconnect.tsx";
import { EditDevice } from "./edit-device.tsx";
import type { TabProps } from "./tab-props.ts";

/** What can be done with the device. */
export function DeviceActions({ device, etag }: TabProps) {
  const [dialog, setDialog] = useState<"edit" | "delete">();
  const queries = useQueryClient();
  const router = useRouter();
  const close = () => setDialog(undefined);
  const remove = async () => {
    await must(api.DELETE("/api/admin/devices/{id}", { params: { path: { id: device.id } } }));
    toast(`${device.name} is deleted.`);
    await router.navigate({ to: "/devices" });
    await queries.invalidateQueries({ queryKey: ["/api/admin/devices"] });
  };
  return (
    <>
      {useMay("listCertificates") && (
        <Button component="a" href={`/devices/${device.id}/connect`} variant="default">
          Connect
        </Button>
      )}
      {useMay("replaceDevice") && (
        <Button variant="default" onClick={() => setDialog("edit")}>
          Edit
        </Button>
      )}
      {useMay("disconnectDevice") && <Disconnect device={device} />}
      {useMay("deleteDevice") && (
        <Button variant="default" onClick={() => setDialog("delete")}>
          Delete
        </Button>
      )}
      <EditDevice opened={dialog === "edit"} onClose={close} device={device} etag={etag} />
      <Confirm
        title={`Delete ${device.name}?`}
        opened={dialog === "delete"}
        onClose={close}
        action="Delete device"
        onConfirm={remove}
        typed={device.id}
        problem={renderProblem}
      >
        <p>
          All its certificates are revoked and its session ends at once. Its telemetry is deleted. Its audit entries
          stay. This cannot be undone.
        </p>
      </Confirm>
    </>
  );
}
