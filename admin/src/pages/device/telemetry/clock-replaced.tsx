import { Status } from "../../../ui/display/status.tsx";

/** Whose clock a measurement has its time of. */
export function ClockReplaced({ replaced }: { replaced: boolean }) {
  if (!replaced) return <span className="soft">of the device</span>;
  return (
    <Status tone="warn" plain>
      set by the service
    </Status>
  );
}
