import { Status } from "../ui/display/status.tsx";
import type { Tone } from "../ui/theme/tones.ts";

interface WordProps<Value extends string> {
  of: Readonly<Record<Value, readonly [tone: Tone, label: string]>>;
  value: Value;
  plain?: boolean;
}

/** A value of a closed set as a status; one that this version does not know is shown as it is. */
export function Word<Value extends string>({ of, value, plain }: WordProps<Value>) {
  const [tone, label] = of[value] ?? (["neutral", value] as const);
  return (
    <Status tone={tone} plain={plain ?? false}>
      {label}
    </Status>
  );
}
