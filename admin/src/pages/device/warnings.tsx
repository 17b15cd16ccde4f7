import { useQuery } from "@tanstack/react-query";
import { certificatesOfDeviceQuery } from "../../api/certificates.ts";
import { latestQuery } from "../../api/devices.ts";
import { useMay } from "../../parts/session.ts";
import { Notice } from "../../ui/display/status.tsx";
import type { TabProps } from "./device-page.tsx";

/** What keeps the device from being of use, and what to do about it. */
export function DeviceWarnings({ device }: Pick<TabProps, "device">) {
  const mayCertificates = useMay("listCertificates");
  const certificates =
    useQuery({ ...certificatesOfDeviceQuery(device.id), enabled: mayCertificates }).data?.items ?? [];
  const latest = useQuery(latestQuery(device.id)).data?.items ?? [];
  const live = certificates.filter(({ status, expired }) => status === "active" && !expired);
  const silent = live.length > 0 && live.every(({ publishTopics }) => publishTopics.length === 0);
  const replaced = latest.filter(({ timeReplaced }) => timeReplaced).map(({ metric }) => metric);
  return (
    <>
      {silent && (
        <Notice tone="warn" title="The device may publish nowhere">
          <p>
            Its certificate was issued when the device had no type, or a type without topics. Set the type; the topics
            take effect with the next certificate, when the device has reconnected with it.
          </p>
        </Notice>
      )}
      {live.length === 0 && device.certificateState !== "none" && (
        <Notice tone="bad" title="The device has no valid certificate">
          <p>
            Its next connection is refused. <a href={`/devices/${device.id}/connect`}>Connect it again</a>
          </p>
        </Notice>
      )}
      {replaced.length > 0 && (
        <Notice tone="warn" title="The clock of the device is wrong">
          <p>
            The time of {replaced.slice(0, 5).join(", ")} was more than ten minutes ahead or thirty days old, so the
            service used its own.
          </p>
        </Notice>
      )}
    </>
  );
}
