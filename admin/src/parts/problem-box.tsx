import { type ReactNode, useState } from "react";
import { t } from "#texts/parts.ts";
import { isTemporary, Problem } from "../api/problem.ts";
import { sentence } from "../texts/sentence.ts";
import { Action, countdown, localClock, Notice, useNow } from "../ui/ui.ts";
import { CANCELLED } from "./step-up/step-up.ts";

interface ProblemBoxProps {
  error: unknown;
  /** Tries again; offered if another attempt may succeed. */
  onRetry?: () => void;
  children?: ReactNode;
}

/** Shows the service's sentence about a failure, when a refusal ends, and, under "Details", the code and request id. */
export function ProblemBox({ error, onRetry, children }: ProblemBoxProps) {
  if (error === CANCELLED) return null;
  const problem = asProblem(error);
  const { code, message, body } = problem;
  return (
    <Notice tone="bad" live>
      <p>{sentence(message)}</p>
      {children}
      {problem.retryAfterSeconds !== undefined && (
        <Wait key={String(body.requestId)} seconds={problem.retryAfterSeconds} />
      )}
      <details className="problem-id">
        <summary>{t.details}</summary>
        <a href={`/docs/api/errors/${code}`} target="_blank" rel="noreferrer">
          {code}
        </a>
        {body.requestId !== undefined && <>{t.request(body.requestId)}</>}
      </details>
      {onRetry && (isTemporary(problem) || problem.status === 412) && (
        <span>
          <Action small label={t.tryAgain} onClick={onRetry} />
        </span>
      )}
    </Notice>
  );
}

function Wait({ seconds }: { seconds: number }) {
  const now = useNow();
  const [until] = useState(() => Date.now() + seconds * 1000);
  const left = until - now;
  const text = left > 0 ? t.possibleAgainInAt(countdown(left), localClock(until)) : t.possibleAgainNow;
  return <p>{text}</p>;
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem(0, { error: "internal_error", message: t.theAppHasAFault });
}
