import { Button } from "@mantine/core";
import { useState } from "react";
import { type OwnFactors, removeFactor, renewRecoveryCodes } from "../../../api/people/factors.ts";
import { renderProblem } from "../../../parts/problem-box.tsx";
import { toast } from "../../../parts/toasts.tsx";
import { plural } from "../../../ui/display/format.ts";
import { Status } from "../../../ui/display/status.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { Confirm } from "../../../ui/input/confirm.tsx";
import { Dialog } from "../../../ui/input/dialog.tsx";
import { Facts } from "../../../ui/page/facts.tsx";
import { useAccountChanged } from "../use-account-changed.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** So few recovery codes that it is time for new ones. */
const FEW = 3;

interface FactorIsOnProps {
  own: OwnFactors;
  factor: OwnFactors["items"][number];
  onReplace: () => void;
  replacing: boolean;
}

/** A second factor that is on: how many recovery codes are left, and what can be done with it. */
export function FactorIsOn({ own, factor, onReplace, replacing }: FactorIsOnProps) {
  const [asks, setAsks] = useState<"codes" | "off">();
  const [codes, setCodes] = useState<readonly string[]>();
  const { recoveryCodesLeft: left, mandatory } = own;
  return (
    <>
      <Facts
        facts={[
          [
            "State",
            <Status key="state" tone="good">
              On
            </Status>,
          ],
          ["Since", <Time key="since" at={factor.createdAt} />],
          [
            "Recovery codes",
            <Status key="codes" tone={left <= FEW ? "warn" : "neutral"}>
              {left === 0 ? "none left" : `${left} left`}
            </Status>,
          ],
        ]}
      />
      <div className="row">
        <Button variant="default" onClick={() => setAsks("codes")}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={onReplace} loading={replacing}>
          Use another app
        </Button>
        <Button variant="default" disabled={mandatory} onClick={() => setAsks("off")}>
          Turn off
        </Button>
      </div>
      {mandatory && (
        <p className="soft">Your tenant requires a second factor of its administrators: it cannot be turned off.</p>
      )}
      <NewCodes opened={asks === "codes"} left={left} onClose={() => setAsks(undefined)} onMade={setCodes} />
      <TurnOff opened={asks === "off"} id={factor.id} onClose={() => setAsks(undefined)} />
      <Dialog title="Your recovery codes" keep opened={codes !== undefined} onClose={() => setCodes(undefined)}>
        {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      </Dialog>
    </>
  );
}

interface NewCodesProps {
  opened: boolean;
  left: number;
  onClose: () => void;
  onMade: (codes: readonly string[]) => void;
}

function NewCodes({ opened, left, onClose, onMade }: NewCodesProps) {
  const changed = useAccountChanged();
  const renew = async () => {
    onMade(await renewRecoveryCodes());
    await changed();
  };
  return (
    <Confirm
      title="Make new recovery codes?"
      opened={opened}
      onClose={onClose}
      action="Make new codes"
      onConfirm={renew}
      problem={renderProblem}
    >
      <p>
        {left === 0
          ? "You get ten new ones."
          : `You get ten new ones. The ${plural(left, "former code")} you have stop at once.`}
      </p>
    </Confirm>
  );
}

function TurnOff({ opened, id, onClose }: { opened: boolean; id: string; onClose: () => void }) {
  const changed = useAccountChanged();
  const remove = async () => {
    await removeFactor(id);
    toast("Your second factor is off.");
    await changed();
  };
  return (
    <Confirm
      title="Turn off your second factor?"
      opened={opened}
      onClose={onClose}
      action="Turn off"
      onConfirm={remove}
      problem={renderProblem}
    >
      <p>Then your password alone signs in. Your recovery codes stop.</p>
    </Confirm>
  );
}
