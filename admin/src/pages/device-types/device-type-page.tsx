import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import {
  DEVICE_TYPES,
  type DeviceTypeDetail,
  deleteDeviceType,
  deviceTypeQuery,
  updateDeviceType,
} from "../../api/device-types.ts";
import type { Versioned } from "../../api/versioned.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { usePathParams } from "../../parts/use-params.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";
import { Time } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel } from "../../ui/page/page.tsx";
import { DeviceTypeForm } from "./device-type-form.tsx";
import { OutdatedDevices } from "./outdated-devices.tsx";
import { silence } from "./silence.ts";

/** A device type, what refers to it, and the devices whose certificates have former topics. */
export default function DeviceTypePage() {
  const { id } = usePathParams<"id">();
  const query = useQuery(deviceTypeQuery(id));
  return (
    <Page
      title={query.data?.record.name ?? "Device type"}
      back={{ href: "/device-types", label: "Device types" }}
      actions={query.data && <Actions {...query.data} />}
    >
      <Loaded query={query}>
        {({ record }) => (
          <>
            <Panel>
              <Facts facts={factsOf(record)} />
            </Panel>
            <OutdatedDevices id={record.id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function factsOf(type: DeviceTypeDetail): (readonly [string, React.ReactNode])[] {
  return [
    ["Publishes on", <Lines key="publish" lines={type.publishTopics} />],
    ["Subscribes to", <Lines key="subscribe" lines={type.subscribeTopics} />],
    ["Silent for at most", silence(type.silentForSeconds)],
    [
      "Devices",
      <a key="devices" href={`/devices?deviceTypeId=${type.id}`}>
        {plural(type.devices, "device")}
      </a>,
    ],
    ["Claims that can be redeemed", String(type.openClaims)],
    ["Changed", <Time key="changed" at={type.updatedAt} />],
  ];
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <span className="soft">nothing</span>;
  return lines.map((line) => (
    <div key={line} className="mono">
      {line}
    </div>
  ));
}

function Actions({ record, etag }: Versioned<DeviceTypeDetail>) {
  const [open, setOpen] = useState<"edit" | "delete">();
  const mayChange = useMay("updateDeviceType");
  const refresh = useRefresh();
  const router = useRouter();
  const close = () => setOpen(undefined);
  const inUse = usedBy(record);
  if (!mayChange) return null;
  return (
    <>
      {inUse && <span className="soft">{inUse}</span>}
      <Button variant="default" onClick={() => setOpen("delete")} disabled={inUse !== undefined}>
        Delete
      </Button>
      <Button onClick={() => setOpen("edit")}>Change</Button>
      <Dialog title={`Change ${record.name}`} opened={open === "edit"} onClose={close}>
        <ChangeType opened={{ record, etag }} onClose={close} />
      </Dialog>
      <Confirm
        title={`Delete ${record.name}?`}
        opened={open === "delete"}
        onClose={close}
        action="Delete device type"
        typed={record.name}
        problem={renderProblem}
        onConfirm={async () => {
          await deleteDeviceType(record.id);
          toast(`Device type ${record.name} is deleted.`);
          await router.navigate({ href: "/device-types" });
          await refresh(DEVICE_TYPES);
        }}
      >
        <p>No device has it, and no open claim names it. It cannot be restored.</p>
      </Confirm>
    </>
  );
}

/** @param opened the version that the form begins with: the screen goes on to follow the type meanwhile */
function ChangeType({ opened, onClose }: { opened: Versioned<DeviceTypeDetail>; onClose: () => void }) {
  const [{ record, etag }, setVersion] = useState(opened);
  const queries = useQueryClient();
  const refresh = useRefresh();
  const load = async () => {
    const now = await queries.fetchQuery({ ...deviceTypeQuery(record.id), staleTime: 0 });
    setVersion(now);
    return now.record;
  };
  return (
    <>
      {record.devices > 0 && (
        <p>
          {plural(record.devices, "device")} of this type {record.devices === 1 ? "goes" : "go"} on with the topics of
          the certificate in use. A renewal, or a new bundle, gets the changed ones.
        </p>
      )}
      <DeviceTypeForm
        operation="updateDeviceType"
        action="Save"
        type={opened.record}
        onCancel={onClose}
        load={load}
        onSubmit={async (fields) => {
          await updateDeviceType(record.id, etag, fields);
          onClose();
          toast("Saved.");
          await refresh(DEVICE_TYPES);
        }}
      />
    </>
  );
}

/** Why it cannot be deleted now. */
function usedBy({ devices, openClaims }: DeviceTypeDetail): string | undefined {
  if (devices > 0) return `${plural(devices, "device")} ${devices === 1 ? "has" : "have"} this type.`;
  if (openClaims > 0) return `${plural(openClaims, "open claim")} ${openClaims === 1 ? "names" : "name"} this type.`;
  return undefined;
}
