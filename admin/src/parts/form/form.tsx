import { Button } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { Problem } from "../../api/problem.ts";
import { DialogActions } from "../../ui/input/dialog.tsx";
import { asProblem, ProblemBox, sentence } from "../problem-box.tsx";
import { CANCELLED } from "../step-up/step-up.ts";
import { type Conflict, ConflictBox, isConflict } from "./conflict.tsx";

interface FormProps<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>;
  /** Resolves when it is done. A `Problem` whose `detail` names a field is shown at the field. */
  onSubmit: (values: Values) => Promise<unknown>;
  /** The button that sends: "Create claim". */
  action: string;
  onCancel?: () => void;
  /** Where the form changes a record with `If-Match`: what to do when another user has changed the record in the mean time. */
  conflict?: Conflict<Values>;
  /** Why it cannot be sent now. */
  blocked?: string | undefined;
  children: ReactNode;
}

/** A form of the app: checks before it sends, shows what the service refuses where it belongs, and focuses the first field that is wrong. */
export function Form<Values extends Record<string, unknown>>(props: FormProps<Values>) {
  const { form, onSubmit, action, onCancel, conflict, blocked, children } = props;
  const element = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const focusFirstError = () =>
    requestAnimationFrame(() =>
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"], input[data-invalid="true"]')?.focus(),
    );
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    if (form.validate().hasErrors) return focusFirstError();
    setBusy(true);
    try {
      await onSubmit(form.getValues());
    } catch (reason) {
      const field = fieldOf(reason, form.getValues());
      if (field) {
        form.setFieldError(field, sentence(asProblem(reason).message));
        focusFirstError();
      } else if (reason !== CANCELLED) setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form ref={element} onSubmit={submit} className="stack" noValidate>
      {children}
      {error !== undefined && !(conflict && isConflict(error)) && <ProblemBox error={error} />}
      {conflict && isConflict(error) && (
        <ConflictBox form={form} conflict={conflict} error={error} onLoaded={() => setError(undefined)} />
      )}
      <DialogActions>
        {blocked && <span className="soft">{blocked}</span>}
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" loading={busy} disabled={blocked !== undefined}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}

/** The field that `detail` of a refusal names: `body.name`, `name` or `name: …`, and within a list `rules.0.value`. */
function fieldOf(reason: unknown, values: Record<string, unknown>): string | undefined {
  if (!(reason instanceof Problem) || reason.body.detail === undefined) return undefined;
  const named = /^(?:body\.)?(\w+(?:\.\w+)*)/.exec(reason.body.detail)?.[1]?.split(".") ?? [];
  const known: string[] = [];
  let value: unknown = values;
  for (const part of named) {
    if (typeof value !== "object" || value === null || !(part in value)) break;
    value = (value as Record<string, unknown>)[part];
    known.push(part);
  }
  return known.length > 0 ? known.join(".") : undefined;
}
