import { useQuery } from "@tanstack/react-query";
import { findingsOfDeviceQuery } from "../../api/devices.ts";
import { useMay } from "../../parts/session.ts";
import { Notice } from "../../ui/display/status.tsx";
import { FINDINGS } from "../../words/findings.ts";
import type { TabProps } from "./tab-props.ts";

const ENDED = new Set(["expired", "revoked"]);

/** What keeps the device from being of use, and what to do about it. */
export function DeviceWarnings({ device }: Pick<TabProps, "device">) {
  const findings = useQuery({ ...findingsOfDeviceQuery(device.id), enabled: useMay("listFindings") }).data?.items ?? [];
  return (
    <>
      {ENDED.has(device.certificateState) && (
        <Notice tone="bad" title="The device has no valid certificate">
          <p>
            Its next connection is refused. <a href={`/devices/${device.id}/connect`}>Connect it again</a>
          </p>
        </Notice>
      )}
      {findings.map(({ kind, at, cause, cure, metrics }) => (
        <Notice key={`${kind} ${at}`} tone="warn" title={FINDINGS[kind] ?? kind}>
          <p>
            {cause} {metrics.length > 0 && `It concerns ${metrics.slice(0, 5).join(", ")}.`}
          </p>
          <p>{cure}</p>
        </Notice>
      ))}
    </>
  );
}
