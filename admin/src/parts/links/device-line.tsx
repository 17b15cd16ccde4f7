import type { ReactNode } from "react";
import "./device-line.css";

interface DeviceLineProps {
  id: string;
  name: ReactNode;
  /** The facts that tell the device from others of its name: groups, place, fingerprint; absent ones are left out. */
  more: readonly (string | null | undefined)[];
}

/** The name of a device, and below it its id, groups and place. */
export function DeviceLine({ id, name, more }: DeviceLineProps) {
  const known = more.filter((each) => each != null && each !== "");
  const text = [id, ...known].join(" · ");
  return (
    <span className="device-line">
      <span className="device-line-name" dir="auto">
        {name}
      </span>
      <span className="device-line-more soft" title={text}>
        <span className="mono">{id}</span>
        {known.length > 0 && <bdi>{` · ${known.join(" · ")}`}</bdi>}
      </span>
    </span>
  );
}
