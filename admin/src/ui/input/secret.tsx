import type { ReactNode } from "react";
import { t } from "#texts/ui.ts";
import { CopyButton } from "./copy.tsx";
import "./copy.css";

interface SecretProps {
  /** The kind of secret: "API key". */
  label: string;
  value: string;
  /** The use of the secret, such as a ready command. */
  children?: ReactNode;
}

/** A secret that the service shows this once and does not store. */
export function Secret({ label, value, children }: SecretProps) {
  return (
    <div className="secret stack-tight">
      <p>{t.copyItNowItIs(<strong>{label}.</strong>)}</p>
      <div className="secret-value row">
        <code data-secret>{value}</code>
        <CopyButton text={value} />
      </div>
      {children}
    </div>
  );
}
