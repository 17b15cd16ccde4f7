import { Button } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { Problem } from "../../api/problem.ts";
import { ProblemBox } from "../problem-box.tsx";
import { mergeVersions } from "./merge-versions.ts";

export interface Conflict<Values> {
  /** Reads the record as it is now, so that the next attempt names its version. @returns its fields */
  load: () => Promise<Values>;
  /** What a person calls the fields. */
  labels: Readonly<Record<keyof Values, string>>;
  /** A value as a person reads it, where it is another than the form has. */
  show?: (field: keyof Values, value: unknown) => string;
}

/** Whether another user was faster. */
export function isConflict(error: unknown): boolean {
  return error instanceof Problem && error.status === 412;
}

interface ConflictBoxProps<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>;
  conflict: Conflict<Values>;
  error: unknown;
  /** The form has their version, and what was typed. */
  onLoaded: () => void;
}

/**
 * Offers to load the version of the other user into the form. Nothing that was typed is lost: a field that both have changed keeps what
 * was typed, with their value as its note.
 */
export function ConflictBox<Values extends Record<string, unknown>>(props: ConflictBoxProps<Values>) {
  const { form, conflict, error, onLoaded } = props;
  const [failed, setFailed] = useState<unknown>();
  const load = async () => {
    try {
      const theirs = await conflict.load();
      const { values, both } = mergeVersions(form.getInitialValues(), form.getValues(), theirs);
      form.setInitialValues(theirs);
      form.setValues(values);
      const { labels, show = (_, value) => String(value) } = conflict;
      for (const field of both)
        form.setFieldError(field, `${labels[field]} now: ${show(field, theirs[field]) || "empty"}`);
      onLoaded();
    } catch (reason) {
      setFailed(reason);
    }
  };
  return (
    <>
      <ProblemBox error={error}>
        <span>
          <Button size="xs" variant="default" onClick={load}>
            Load their version
          </Button>
        </span>
        <p>What you have typed stays.</p>
      </ProblemBox>
      {failed !== undefined && <ProblemBox error={failed} />}
    </>
  );
}
