import type { Symptom } from "../../api/broker/refusals.ts";
import { sentence } from "../../parts/problem-box.tsx";
import { nameOfRefusal } from "../../words/refusals.ts";
import "./refusals.css";

/** From what a person sees at a device to its cause and cure. */
export function Symptoms({ symptoms }: { symptoms: readonly Symptom[] }) {
  return (
    <div className="symptoms">
      {symptoms.map(({ symptom, cause, cure, reasons }) => (
        <details key={symptom}>
          <summary>{sentence(symptom)}</summary>
          <p>{sentence(cause)}</p>
          <p>
            <strong>What to do: </strong>
            {sentence(cure)}
          </p>
          {reasons.length > 0 && (
            <p>
              Show refusals:{" "}
              {reasons.map((reason, at) => (
                <span key={reason}>
                  {at > 0 && ", "}
                  <a href={`/refusals?reason=${reason}`}>{nameOfRefusal(reason).toLowerCase()}</a>
                </span>
              ))}
            </p>
          )}
        </details>
      ))}
    </div>
  );
}
