import { type ReactNode, useEffect, useRef } from "react";
import { t } from "#texts/ui.ts";
import "./steps.css";

export type StepState = "done" | "now" | "later";

export interface Step {
  title: string;
  state: StepState;
  /** Shown below the title while the step is due, or if `open`. */
  children?: ReactNode;
  open?: boolean;
}

const WORDS: Record<StepState, string> = { done: t.done, now: t.dueNow, later: t.later };

/** Steps to do one after the other. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  const list = useFocusOnStep(steps.filter(({ state }) => state === "done").length);
  return (
    <ol className="list" ref={list}>
      {steps.map(({ title, state, children, open }, at) => (
        <li key={title} className={`step step-${state}`}>
          <span className="step-mark" aria-hidden="true">
            {state === "done" ? "✓" : at + 1}
          </span>
          <div className="step-body">
            <p className="step-title" tabIndex={-1}>
              {title}
              <span className="hidden-text"> ({WORDS[state]})</span>
            </p>
            {(state === "now" || open) && children && <div className="step-content stack">{children}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/**
 * Focuses the title of the next step when the focused element disappears with a finished step, so that keyboard and
 * screen reader continue there.
 */
function useFocusOnStep(done: number) {
  const list = useRef<HTMLOListElement>(null);
  const before = useRef(done);
  useEffect(() => {
    if (before.current === done) return;
    before.current = done;
    if (document.activeElement && document.activeElement !== document.body) return;
    const titles = list.current?.querySelectorAll<HTMLElement>(".step-title");
    titles?.[Math.min(done, titles.length - 1)]?.focus({ preventScroll: true });
  }, [done]);
  return list;
}
