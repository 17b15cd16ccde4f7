import { Button } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { deleteThreshold, THRESHOLDS, type ThresholdDetail } from "../../api/monitoring/thresholds.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";
import { Confirm } from "../../ui/input/confirm.tsx";

/** Deletes a pack, and says before what that ends. */
export function DeleteThreshold({ pack }: { pack: ThresholdDetail }) {
  const [open, setOpen] = useState(false);
  const may = useMay("deleteThreshold");
  const refresh = useRefresh();
  const router = useRouter();
  if (!may) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Confirm
        title={`Delete ${pack.name}?`}
        opened={open}
        onClose={() => setOpen(false)}
        action="Delete threshold pack"
        typed={pack.name}
        problem={renderProblem}
        onConfirm={async () => {
          await deleteThreshold(pack.id);
          toast(`Threshold pack ${pack.name} is deleted.`);
          await router.navigate({ href: "/thresholds" });
          await refresh(THRESHOLDS);
        }}
      >
        <p>
          It watches {plural(pack.watchedDevices, "device")} that you see. Its unresolved anomalies are resolved and
          stay on the list. It cannot be restored.
        </p>
      </Confirm>
    </>
  );
}
