import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/parts.ts";
import { LinkButton } from "../../ui/ui.ts";
import "./code-field.css";

interface CodeFieldProps {
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
  required?: boolean;
  autoFocus?: boolean;
  /** Set if the user has no authenticator app, and can enter a recovery code only. */
  withoutApp?: boolean;
}

/** Asks for a code of the second factor: six digits of the authenticator app or, on request, a recovery code. */
export function CodeField({ value, onChange, withoutApp = false, ...props }: CodeFieldProps) {
  const [recovery, setRecovery] = useState(withoutApp);
  const change = () => {
    setRecovery(!recovery);
    onChange("");
  };
  return (
    <div className="code-field">
      <TextInput
        key={recovery ? "recovery" : "app"}
        label={recovery ? t.recoveryCode : common.code}
        description={recovery ? t.oneOfThoseThatYou : t.sixDigitsOfYourAuthenticator}
        autoComplete={recovery ? "off" : "one-time-code"}
        inputMode={recovery ? "text" : "numeric"}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...props}
        autoFocus={(recovery && !withoutApp) || props.autoFocus === true}
      />
      {!withoutApp && (
        <LinkButton onClick={change}>{recovery ? t.useTheAuthenticatorApp : t.useARecoveryCode}</LinkButton>
      )}
    </div>
  );
}
