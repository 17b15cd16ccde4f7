import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deleteShift, type Shift, shiftQuery, updateShift } from "../../api/people/shifts.ts";
import type { Versioned } from "../../api/versioned.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { ShiftForm } from "./shift-form.tsx";
import { OnDuty, shiftTimes } from "./shift-times.tsx";
import { useShiftsChanged } from "./use-shifts-changed.ts";

/** A shift: what it is for those who read, its fields for those who may change it. */
export function ShiftDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(shiftQuery(id));
  const may = useMay("updateShift");
  const [deleting, setDeleting] = useState(false);
  const changed = useShiftsChanged();
  const shift = query.data?.record;
  return (
    <>
      <Dialog title={shift?.name ?? "Shift"} opened={!deleting} onClose={onClose}>
        <Loaded query={query}>
          {(versioned) =>
            may ? (
              <Change key={id} opened={versioned} onClose={onClose} onDelete={() => setDeleting(true)} />
            ) : (
              <Facts facts={factsOf(versioned.record)} />
            )
          }
        </Loaded>
      </Dialog>
      <Confirm
        title={`Delete ${shift?.name ?? ""}?`}
        opened={deleting}
        onClose={() => setDeleting(false)}
        action="Delete shift"
        typed={shift?.name ?? ""}
        problem={renderProblem}
        onConfirm={async () => {
          await deleteShift(id);
          onClose();
          await changed("The shift is deleted.");
        }}
      >
        <p>
          Its users are on duty no more, for <GroupNames ids={shift?.groupIds ?? []} none="no group" />. Hours that only
          this shift covers become uncovered.
        </p>
      </Confirm>
    </>
  );
}

function factsOf(shift: Shift): (readonly [string, React.ReactNode])[] {
  return [
    ["On duty", shiftTimes(shift)],
    ["Now", <OnDuty key="now" shift={shift} />],
    [
      "People",
      shift.userIds.map((id) => (
        <div key={id}>
          <Actor of={`user:${id}`} />
        </div>
      )),
    ],
    ["Groups", <GroupNames key="groups" ids={shift.groupIds} none="on no group" />],
    ["First day", shift.validFrom],
    ["Last day", shift.validUntil],
  ];
}

interface ChangeProps {
  /** The version that the form begins with: the screen goes on to follow the shift meanwhile. */
  opened: Versioned<Shift>;
  onClose: () => void;
  onDelete: () => void;
}

function Change({ opened, onClose, onDelete }: ChangeProps) {
  const [{ record, etag }, setVersion] = useState(opened);
  const queries = useQueryClient();
  const changed = useShiftsChanged();
  const load = async () => {
    const now = await queries.fetchQuery({ ...shiftQuery(record.id), staleTime: 0 });
    setVersion(now);
    return now.record;
  };
  return (
    <div className="stack">
      <div className="row">
        <OnDuty shift={record} />
        <span className="soft">
          Groups: <GroupNames ids={record.groupIds} none="on no group" />
        </span>
        <Button size="xs" variant="default" onClick={onDelete}>
          Delete
        </Button>
      </div>
      <ShiftForm
        operation="updateShift"
        action="Save"
        shift={record}
        load={load}
        onCancel={onClose}
        onSubmit={async (fields) => {
          await updateShift(record.id, etag, fields);
          onClose();
          await changed("Saved.");
        }}
      />
    </div>
  );
}
