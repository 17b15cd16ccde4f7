import { t } from "#texts/guides.ts";
import "./guides.css";

/** Tells anomalies, findings and refusals apart, on each of their screens. */
export function Glossary() {
  const link = (href: string, text: string) => <a href={href}>{text}</a>;
  return (
    <details className="guide">
      <summary>{t.difference}</summary>
      <ul>
        <li>{t.anomaly(link("/anomalies", t.anomalyLink))}</li>
        <li>{t.finding(link("/findings", t.findingLink))}</li>
        <li>{t.refusal(link("/refusals", t.refusalLink))}</li>
      </ul>
      <p>{t.pagedFor}</p>
    </details>
  );
}
