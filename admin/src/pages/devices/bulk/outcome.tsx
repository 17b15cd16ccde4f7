import { Button } from "@mantine/core";
import type { Schemas } from "../../../api/client.ts";
import { sentence } from "../../../parts/problem-box.tsx";
import { plural } from "../../../ui/display/format.ts";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Dialog, DialogActions } from "../../../ui/input/dialog.tsx";

type BulkOutcome = Schemas["BulkOutcome"];
type DeviceOutcome = Schemas["DeviceOutcome"];

/** What became of the devices; those that were not done stay selected. */
export function Outcome({ outcome, onClose }: { outcome: BulkOutcome | undefined; onClose: () => void }) {
  return (
    <Dialog title="What was done" opened={outcome !== undefined} onClose={onClose} wide>
      {outcome && <Done outcome={outcome} onClose={onClose} />}
    </Dialog>
  );
}

function Done({ outcome, onClose }: { outcome: BulkOutcome; onClose: () => void }) {
  const failed = outcome.items.filter((item) => item.outcome !== "done");
  return (
    <div className="stack">
      <p role="status">
        {failed.length === 0
          ? `Done for ${plural(outcome.done, "device")}.`
          : `Done for ${plural(outcome.done, "device")}, not for ${failed.length}, which stay selected:`}
      </p>
      {failed.length > 0 && <Table label="Not done" columns={COLUMNS} rows={failed} rowKey={({ id }) => id} />}
      <DialogActions>
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </DialogActions>
    </div>
  );
}

const COLUMNS: readonly Column<DeviceOutcome>[] = [
  { key: "id", title: "Device id", main: true, cell: ({ id }) => <span className="mono">{id}</span> },
  { key: "why", title: "Why", cell: reasonOf },
];

function reasonOf({ outcome, message }: DeviceOutcome): string {
  if (outcome === "not_tried") return "The service ran out of time before it: repeat for the selected devices.";
  return sentence(message ?? "");
}
