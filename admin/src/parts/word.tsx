import type { Tone } from "../ui/theme/tones.ts";
import { Status } from "../ui/ui.ts";

interface WordProps<Value extends string> {
  of: Readonly<Record<Value, readonly [tone: Tone, label: string]>>;
  value: Value;
  plain?: boolean;
}

/** A value of a closed set as a status; an unknown value is shown as it is. */
export function Word<Value extends string>({ of, value, plain }: WordProps<Value>) {
  const [tone, label] = of[value] ?? (["neutral", value] as const);
  return <Status of={[tone, label]} plain={plain ?? false} />;
}
