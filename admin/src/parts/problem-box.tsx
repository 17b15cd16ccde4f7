import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { isTemporary, Problem } from "../api/problem.ts";
import { countdown } from "../ui/display/format.ts";
import { Notice } from "../ui/display/status.tsx";
import { useNow } from "../ui/display/time.tsx";
import { CANCELLED } from "./step-up/step-up.ts";

interface ProblemBoxProps {
  error: unknown;
  /** Tries again; offered where another attempt may succeed. */
  onRetry?: () => void;
  children?: ReactNode;
}

/** Why something failed: the service's sentence, until when it refuses, and the request id under which its log has more. */
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
      <p className="problem-id">
        <a href={`/docs/api/errors/${code}`} target="_blank" rel="noreferrer">
          {code}
        </a>
        {body.requestId !== undefined && <> · request {body.requestId}</>}
      </p>
      {onRetry && (isTemporary(problem) || problem.status === 412) && (
        <span>
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </span>
      )}
    </Notice>
  );
}

function Wait({ seconds }: { seconds: number }) {
  const now = useNow();
  const [until] = useState(() => Date.now() + seconds * 1000);
  const left = until - now;
  const text =
    left > 0
      ? `Possible again in ${countdown(left)}, at ${new Date(until).toLocaleTimeString()}.`
      : "Possible again now.";
  return <p>{text}</p>;
}

/** For the `problem` of a `Confirm`. */
export function renderProblem(error: unknown): ReactNode {
  return <ProblemBox error={error} />;
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem(0, { error: "internal_error", message: "The app has a fault. Reload the page." });
}

/** Messages of the service begin in lower case and have no full stop. */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
