import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { factorsQuery, type NewFactor, type OwnFactors, startFactor } from "../../../api/people/factors.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import { Status } from "../../../ui/display/status.tsx";
import { FactorIsOn } from "./factor-is-on.tsx";
import { SetUpFactor } from "./set-up-factor.tsx";

/** The user's own second factor: setting it up, recovery codes, turning it off. */
export function SecondFactor() {
  const factors = useQuery(factorsQuery);
  const { start, begun, end, busy, error } = useStart();
  return (
    <>
      <Loaded query={factors}>{(own) => <Present own={own} onStart={start} busy={busy} />}</Loaded>
      {error !== undefined && <ProblemBox error={error} />}
      <SetUpFactor begun={begun} onClose={end} />
    </>
  );
}

function Present({ own, onStart, busy }: { own: OwnFactors; onStart: () => void; busy: boolean }) {
  const [factor] = own.items;
  if (factor) return <FactorIsOn own={own} factor={factor} onReplace={onStart} replacing={busy} />;
  return (
    <>
      <div>
        <Status tone={own.mandatory ? "warn" : "neutral"}>Off</Status>
      </div>
      <div>
        <Button onClick={onStart} loading={busy}>
          Set up a second factor
        </Button>
      </div>
    </>
  );
}

/** Begins a set-up, which may ask for the password first. */
function useStart() {
  const [begun, setBegun] = useState<NewFactor>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const start = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setBegun(await startFactor());
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return { start: () => void start(), begun, end: () => setBegun(undefined), busy, error };
}
