import type { ReactNode } from "react";
import "./steps.css";

export type StepState = "done" | "now" | "later";

export interface Step {
  title: string;
  state: StepState;
  /** Shown below the title while the step is due, and where `open`. */
  children?: ReactNode;
  open?: boolean;
}

const WORDS: Record<StepState, string> = { done: "done", now: "due now", later: "later" };

/** What to do one after the other. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="steps">
      {steps.map(({ title, state, children, open }, at) => (
        <li key={title} className={`step step-${state}`}>
          <span className="step-mark" aria-hidden="true">
            {state === "done" ? "✓" : at + 1}
          </span>
          <div className="step-body">
            <p className="step-title">
              {title}
              <span className="hidden-text"> ({WORDS[state]})</span>
            </p>
            {(state === "now" || open) && children && <div className="step-content">{children}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
