import type { Schemas } from "../../api/client.ts";
import { plural } from "../../ui/display/format.ts";
import { Confirm } from "../../ui/input/confirm.tsx";
import { renderProblem } from "../problem-box.tsx";
import { useBulk } from "./use-bulk.tsx";

interface ConfirmEndProps {
  act: "revoke_certificates" | "delete" | undefined;
  ids: readonly string[];
  onClose: () => void;
  onDone: (outcome: Schemas["BulkOutcome"]) => void;
}

const SHOWN = 10;

/** Asks before many devices are deleted, or lose their certificates. */
export function ConfirmEnd({ act, ids, onClose, onDone }: ConfirmEndProps) {
  const bulk = useBulk();
  const count = plural(ids.length, "device");
  const deletes = act === "delete";
  const confirm = async () => {
    onDone(await bulk.run(ids, { act: act! }));
  };
  return (
    <Confirm
      title={deletes ? `Delete ${count}?` : `Revoke the certificates of ${count}?`}
      opened={act !== undefined}
      onClose={onClose}
      action={deletes ? `Delete ${count}` : `Revoke certificates of ${count}`}
      onConfirm={confirm}
      typed={`${deletes ? "delete" : "revoke"} ${ids.length}`}
      problem={renderProblem}
    >
      {deletes ? (
        <p>
          All certificates of {count} are revoked and the sessions end at once. The telemetry is deleted. The audit
          entries stay. This cannot be undone.
        </p>
      ) : (
        <p>
          Every live certificate of {count} is revoked and the sessions end at once. The devices stay, and connect again
          only with a new certificate. This cannot be undone.
        </p>
      )}
      {bulk.shown}
      <p className="mono">
        {ids.slice(0, SHOWN).join(", ")}
        {ids.length > SHOWN && ` and ${ids.length - SHOWN} more`}
      </p>
    </Confirm>
  );
}
