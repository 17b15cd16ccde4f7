import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Action, type ActionProps } from "../../ui/ui.ts";
import { ProblemBox } from "../problem-box.tsx";
import { toast } from "../toasts.tsx";
import { useRefresh } from "../use-refresh.ts";

export interface Ending<Result> {
  /** The toast that reports the act. */
  done?: string | ((result: Result) => string) | undefined;
  /** The screen that is opened afterwards. */
  leads?: string | ((result: Result) => string) | undefined;
  /** The beginnings of the addresses whose answers the act changes. */
  refreshes?: readonly string[] | undefined;
}

/** Returns a function that shows the toast, opens the next screen and refetches stale queries. */
export function useEnding<Result>({ done, leads, refreshes = [] }: Ending<Result>) {
  const refresh = useRefresh();
  const router = useRouter();
  return async (result: Result) => {
    if (done) toast(typeof done === "string" ? done : done(result));
    if (leads) await router.navigate({ href: typeof leads === "string" ? leads : leads(result) });
    await refresh(...refreshes);
  };
}

/** Runs an act of the user: whether it is under way, and why the previous run failed. */
export function useAct() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const act = async (run: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  const problem: ReactNode = error !== undefined && <ProblemBox error={error} />;
  return { act, busy, error, problem, clear: () => setError(undefined) };
}

interface RunsProps<Result> extends Omit<ActionProps, "onClick">, Ending<Result> {
  run: () => Promise<Result>;
}

/** A button that acts immediately, with the problem beside it. */
export function Runs<Result>({ run, done, leads, refreshes, ...button }: RunsProps<Result>) {
  const { act, busy, problem } = useAct();
  const end = useEnding({ done, leads, refreshes });
  return (
    <>
      <Action {...button} loading={busy} onClick={() => void act(() => run().then(end))} />
      {problem}
    </>
  );
}
