import { type UseFormReturnType, useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { t } from "#texts/parts.ts";
import type { Versioned } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { Action, DialogActions } from "../../ui/ui.ts";
import { type Ending, useEnding } from "../act/use-act.tsx";
import { ProblemBox } from "../problem-box.tsx";
import { CANCELLED } from "../step-up/step-up.ts";
import { mergeVersions } from "./merge-versions.ts";
import { refusedFields } from "./refused-fields.ts";
import { rulesOf } from "./rules.ts";

interface FormProps<Values extends object, Result> extends Ending<Result> {
  form: UseFormReturnType<Values>;
  /** Resolves when it is done. A `Problem` whose `detail` names a field is shown at the field. */
  onSubmit: (values: Values) => Promise<Result>;
  /** The button that sends: "Create claim". */
  action: string;
  onCancel?: (() => void) | undefined;
  /** Called at the end. */
  onDone?: () => void;
  /** The way to the version of another user, for a form that changes a record with `If-Match`. */
  conflict?: Conflict<Values> | undefined;
  /** The reason why the form cannot be sent now. */
  blocked?: string | undefined;
  children: ReactNode;
}

/**
 * A form that checks before it sends, shows refusals of the service at their fields, and focuses the first wrong field.
 */
export function Form<Values extends object, Result>(props: FormProps<Values, Result>) {
  const { form, onSubmit, action, onCancel, onDone, conflict, blocked, children } = props;
  const end = useEnding(props);
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
      await end(await onSubmit(form.getValues()));
      onDone?.();
    } catch (reason) {
      const refused = refusedFields(reason, form.getValues());
      if (refused) {
        form.setErrors(refused);
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
        {onCancel && <Action label={t.cancel} onClick={onCancel} />}
        <Action label={action} type="submit" loading={busy} disabled={blocked !== undefined} />
      </DialogActions>
    </form>
  );
}

type Rules<Values> = { [Field in keyof Values]?: (value: Values[Field], values: Values) => string | null };

/**
 * Returns a form and the properties of its fields by name: `{...field("name")}`.
 * @param operation the operation whose bounds the fields have
 * @param rules further rules, which replace those of the operation
 */
export function useFields<Values extends object>(initialValues: Values, operation?: string, rules: Rules<Values> = {}) {
  const bounded = operation ? rulesOf(operation, Object.keys(initialValues)) : {};
  const form = useForm<Values>({ mode: "controlled", initialValues, validate: { ...bounded, ...rules } as never });
  const { getInputProps: field } = form;
  return [form, field] as const;
}

/**
 * Holds the version that an open form changes, since its screen continues to follow the record.
 * @returns the version, and `load`, which reads the present one, so that the next change names it in `If-Match`
 */
export function useVersion<Record>(opened: Versioned<Record>, query: { queryKey: readonly unknown[] }) {
  const [version, setVersion] = useState(opened);
  const queries = useQueryClient();
  const load = async (): Promise<Record> => {
    const now = await queries.fetchQuery<Versioned<Record>>({ ...query, staleTime: 0 });
    setVersion(now);
    return now.record;
  };
  return { ...version, load };
}

interface Conflict<Values> {
  /** Reads the present record, so that the next attempt names its version. @returns its fields */
  load: () => Promise<Values>;
  /** The labels of the fields. */
  labels: Readonly<Record<keyof Values, string>>;
  /** Returns a value in readable form, if it differs from the form's. */
  show?: (field: keyof Values, value: unknown) => string;
}

/** Whether a change was refused because another user was faster. */
function isConflict(error: unknown): boolean {
  return error instanceof Problem && error.status === 412;
}

interface ConflictBoxProps<Values extends object> {
  form: UseFormReturnType<Values>;
  conflict: Conflict<Values>;
  error: unknown;
  /** Called when the form has the other version and the typed values. */
  onLoaded: () => void;
}

/**
 * Offers to load the version of the other user into the form. Typed values stay: a field that both have changed keeps
 * the typed value, with the other one as its note.
 */
function ConflictBox<Values extends object>(props: ConflictBoxProps<Values>) {
  const { form, conflict, error, onLoaded } = props;
  const [failed, setFailed] = useState<unknown>();
  const load = async () => {
    try {
      const theirs = await conflict.load();
      const { values, both } = mergeVersions(form.getInitialValues(), form.getValues(), theirs);
      form.setInitialValues(theirs);
      form.setValues(values);
      const { labels, show = (_, value) => String(value) } = conflict;
      for (const field of both) form.setFieldError(field, t.now(labels[field], show(field, theirs[field]) || t.empty));
      onLoaded();
    } catch (reason) {
      setFailed(reason);
    }
  };
  return (
    <>
      <ProblemBox error={error}>
        <span>
          <Action small label={t.loadTheirVersion} onClick={load} />
        </span>
        <p>{t.whatYouHaveTypedStays}</p>
      </ProblemBox>
      {failed !== undefined && <ProblemBox error={failed} />}
    </>
  );
}
