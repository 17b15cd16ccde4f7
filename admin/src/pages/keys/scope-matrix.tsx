import { Checkbox } from "@mantine/core";
import { Fragment } from "react";
import { t } from "#texts/pages/keys.ts";
import { DANGEROUS_SCOPES, EXPLAINED_SCOPES, RESOURCES } from "../../words/scopes.ts";
import "./scope-matrix.css";

interface ScopeMatrixProps {
  value?: readonly string[];
  onChange: (scopes: string[]) => void;
  error?: React.ReactNode;
}

/**
 * Chooses scopes: those of records in a matrix, those of identities and other systems apart, each with its consequence.
 */
export function ScopeMatrix({ value = [], onChange, error }: ScopeMatrixProps) {
  const chosen = new Set(value);
  const toggle = (scope: string, checked: boolean) =>
    onChange(checked ? [...value, scope] : value.filter((each) => each !== scope));
  return (
    <fieldset className="scopes stack-tight" aria-describedby={error ? "scopes-error" : undefined}>
      <legend>{t.scopes}</legend>
      <table className="scopes-matrix">
        <thead>
          <tr>
            <th scope="col">{t.records}</th>
            <th scope="col">{t.read}</th>
            <th scope="col">{t.write}</th>
          </tr>
        </thead>
        <tbody>
          {RESOURCES.map(([resource, label, actions]) => (
            <tr key={resource}>
              <th scope="row">{label}</th>
              {(["read", "write"] as const).map((action) => (
                <td
                  key={action}
                  className={DANGEROUS_SCOPES.has(`${resource}:${action}`) ? "scopes-marked" : undefined}
                >
                  {actions.includes(action) && (
                    <Checkbox
                      aria-label={`${resource}:${action}`}
                      checked={chosen.has(`${resource}:${action}`)}
                      onChange={(event) => toggle(`${resource}:${action}`, event.currentTarget.checked)}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="soft">{t.highlightedScopesAreDangerousIn}</p>
      {EXPLAINED_SCOPES.map(([title, scopes]) => (
        <Fragment key={title}>
          <p className="scopes-title">{title}</p>
          {scopes.map((scope) => (
            <ExplainedScope key={scope[0]} of={scope} checked={chosen.has(scope[0])} onToggle={toggle} />
          ))}
        </Fragment>
      ))}
      {error && (
        <p id="scopes-error" className="scopes-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface ExplainedScopeProps {
  of: readonly [scope: string, label: string, consequence: string];
  checked: boolean;
  onToggle: (scope: string, checked: boolean) => void;
}

function ExplainedScope({ of: [scope, label, consequence], checked, onToggle }: ExplainedScopeProps) {
  return (
    <div className={DANGEROUS_SCOPES.has(scope) ? "scopes-dangerous framed" : "scopes-plain framed"}>
      <Checkbox
        label={
          <>
            {label} <code>{scope}</code>
          </>
        }
        description={consequence}
        checked={checked}
        onChange={(event) => onToggle(scope, event.currentTarget.checked)}
      />
    </div>
  );
}
