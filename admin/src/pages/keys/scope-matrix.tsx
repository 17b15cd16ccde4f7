import { Checkbox } from "@mantine/core";
import { DANGEROUS_SCOPES, IDENTITY_SCOPES, RESOURCES } from "../../words/scopes.ts";
import "./scope-matrix.css";

interface ScopeMatrixProps {
  value?: readonly string[];
  onChange: (scopes: string[]) => void;
  error?: React.ReactNode;
}

/** Chooses scopes: what reads and writes records in a matrix, what reaches identities apart, each with its consequence. */
export function ScopeMatrix({ value = [], onChange, error }: ScopeMatrixProps) {
  const chosen = new Set(value);
  const toggle = (scope: string, checked: boolean) =>
    onChange(checked ? [...value, scope] : value.filter((each) => each !== scope));
  return (
    <fieldset className="scopes" aria-describedby={error ? "scopes-error" : undefined}>
      <legend>Scopes</legend>
      <table className="scopes-matrix">
        <thead>
          <tr>
            <th scope="col">Records</th>
            <th scope="col">read</th>
            <th scope="col">write</th>
          </tr>
        </thead>
        <tbody>
          {RESOURCES.map(([resource, label, actions]) => (
            <tr key={resource}>
              <th scope="row">{label}</th>
              {(["read", "write"] as const).map((action) => (
                <td key={action}>
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
      <p className="scopes-title">Identities of devices</p>
      {IDENTITY_SCOPES.map(([scope, label, consequence]) => (
        <div key={scope} className={DANGEROUS_SCOPES.has(scope) ? "scopes-dangerous" : "scopes-plain"}>
          <Checkbox
            label={
              <>
                {label} <code>{scope}</code>
              </>
            }
            description={consequence}
            checked={chosen.has(scope)}
            onChange={(event) => toggle(scope, event.currentTarget.checked)}
          />
        </div>
      ))}
      {error && (
        <p id="scopes-error" className="scopes-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}
