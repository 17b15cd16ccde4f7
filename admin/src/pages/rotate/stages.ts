import type { Certificate } from "../../api/certificates.ts";
import type { StepState } from "../../ui/ui.ts";

type Stage = "issue" | "install" | "seen" | "revoke";

interface Progress {
  /** The bundles of the device, including revoked ones. */
  items: readonly Certificate[];
  /** The certificate that replaces the former ones, once it is issued. */
  newId: string | undefined;
  /** Set when the user reports that it is on the device. */
  installed: boolean;
}

interface Stages {
  states: Record<Stage, StepState>;
  made: Certificate | undefined;
  /** The live bundles that it replaces. */
  former: readonly Certificate[];
}

/** Returns the stages of a rotation. The service's observation outweighs the user's report. */
export function stagesOf({ items, newId, installed }: Progress): Stages {
  const made = items.find(({ id }) => id === newId);
  const former = items.filter(({ id, status, expired }) => id !== newId && status === "active" && !expired);
  const seen = made !== undefined && made.lastConnectedAt !== null;
  const done: Record<Stage, boolean> = {
    issue: newId !== undefined,
    install: seen || (newId !== undefined && installed),
    seen,
    revoke: seen && former.length === 0,
  };
  const order: readonly Stage[] = ["issue", "install", "seen", "revoke"];
  const now = order.find((stage) => !done[stage]);
  const state = (stage: Stage): StepState => (done[stage] ? "done" : stage === now ? "now" : "later");
  return {
    states: { issue: state("issue"), install: state("install"), seen: state("seen"), revoke: state("revoke") },
    made,
    former,
  };
}
