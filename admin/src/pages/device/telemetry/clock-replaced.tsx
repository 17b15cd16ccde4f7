import { Status } from "../../../ui/display/status.tsx";

/** Whether the service did not believe the time that a message gave. */
export function ClockReplaced({ replaced }: { replaced: boolean }) {
  if (!replaced) return <span className="soft">–</span>;
  return (
    <Status tone="warn" plain>
      replaced by the service
    </Status>
  );
}
