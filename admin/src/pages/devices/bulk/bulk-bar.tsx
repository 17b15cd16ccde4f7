import { Button } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../api/client.ts";
import type { DeviceQuery } from "../../../api/devices.ts";
import { ConfirmEnd } from "../../../parts/bulk/confirm-end.tsx";
import { Outcome } from "../../../parts/bulk/outcome.tsx";
import { useMay } from "../../../parts/session.ts";
import { plural } from "../../../ui/display/format.ts";
import "./bulk-bar.css";
import { SelectMatching } from "./select-matching.tsx";
import { SetGroups } from "./set-groups.tsx";
import { SetThresholds } from "./set-thresholds.tsx";
import { SetType } from "./set-type.tsx";

type BulkOutcome = Schemas["BulkOutcome"];
type Act = "type" | "groups" | "thresholds" | "revoke_certificates" | "delete";

interface BulkBarProps {
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  /** The ids of the devices of this page. */
  page: readonly string[];
  /** The filters of the list, and how many devices match them. */
  query: DeviceQuery;
  total: number;
  types: readonly { id: string; name: string }[];
}

/** What can be done with the selected devices; shown when there are some. */
export function BulkBar({ selected, onSelect, page, query, total, types }: BulkBarProps) {
  const [act, setAct] = useState<Act>();
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const mayDelete = useMay("deleteDevice");
  const mayRevoke = useMay("revokeCertificatesOfDevice");
  const done = (answer: BulkOutcome) => {
    setAct(undefined);
    setOutcome(answer);
    onSelect(new Set(answer.items.filter((item) => item.outcome !== "done").map(({ id }) => id)));
  };
  const dialog = { ids: [...selected], onClose: () => setAct(undefined), onDone: done };
  return (
    <>
      {selected.size > 0 && (
        <section className="row bulk-bar" aria-label="Selected devices">
          <span aria-live="polite">{plural(selected.size, "device")} selected</span>
          {selected.size < page.length && (
            <Button size="xs" variant="default" onClick={() => onSelect(new Set(page))}>
              Select all on this page
            </Button>
          )}
          {selected.size >= page.length && total > selected.size && (
            <SelectMatching query={query} total={total} onSelect={onSelect} />
          )}
          <Button size="xs" variant="default" onClick={() => onSelect(new Set())}>
            Clear selection
          </Button>
          {mayDelete && (
            <>
              <Button size="xs" variant="default" onClick={() => setAct("type")}>
                Set type
              </Button>
              <Button size="xs" variant="default" onClick={() => setAct("groups")}>
                Groups
              </Button>
            </>
          )}
          <Button size="xs" variant="default" onClick={() => setAct("thresholds")}>
            Threshold packs
          </Button>
          {mayRevoke && (
            <Button size="xs" variant="default" onClick={() => setAct("revoke_certificates")}>
              Revoke certificates
            </Button>
          )}
          {mayDelete && (
            <Button size="xs" variant="default" onClick={() => setAct("delete")}>
              Delete
            </Button>
          )}
        </section>
      )}
      <SetType opened={act === "type"} types={types} {...dialog} />
      <SetGroups opened={act === "groups"} {...dialog} />
      <SetThresholds opened={act === "thresholds"} {...dialog} />
      <ConfirmEnd act={isEnd(act) ? act : undefined} {...dialog} />
      <Outcome outcome={outcome} left="which stay selected" onClose={() => setOutcome(undefined)} />
    </>
  );
}

function isEnd(act: Act | undefined): act is "revoke_certificates" | "delete" {
  return act === "revoke_certificates" || act === "delete";
}
