import { Button } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { plural } from "../../ui/display/format.ts";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Dialog, DialogActions } from "../../ui/input/dialog.tsx";
import { sentence } from "../problem-box.tsx";

type BulkOutcome = Schemas["BulkOutcome"];
type DeviceOutcome = Schemas["DeviceOutcome"];

interface OutcomeProps {
  outcome: BulkOutcome | undefined;
  /** What holds for the devices that were not done. */
  left: string;
  onClose: () => void;
}

/** What became of the devices. */
export function Outcome({ outcome, left, onClose }: OutcomeProps) {
  return (
    <Dialog title="What was done" opened={outcome !== undefined} onClose={onClose} wide>
      {outcome && <Done outcome={outcome} left={left} onClose={onClose} />}
    </Dialog>
  );
}

function Done({ outcome, left, onClose }: OutcomeProps & { outcome: BulkOutcome }) {
  const failed = outcome.items.filter((item) => item.outcome !== "done");
  return (
    <div className="stack">
      <p role="status">
        {failed.length === 0
          ? `Done for ${plural(outcome.done, "device")}.`
          : `Done for ${plural(outcome.done, "device")}, not for ${failed.length}, ${left}:`}
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
  if (message !== null) return sentence(message);
  return outcome === "not_tried" ? "It was not tried: repeat it." : "";
}
