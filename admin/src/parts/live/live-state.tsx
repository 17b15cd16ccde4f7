import type { Tone } from "../../ui/theme/tones.ts";
import { Status } from "../../ui/ui.ts";
import { useLiveState } from "./use-live.ts";
import "./live-state.css";

const WORDS: Record<ReturnType<typeof useLiveState>, readonly [Tone, string, string]> = {
  connecting: ["neutral", "Connecting", "The page asks the service for changes."],
  live: ["good", "Live", "Changes are shown as they happen."],
  interrupted: ["warn", "Reconnecting", "The service does not answer. What is shown may be old."],
  ended: ["bad", "Not live", "The session has ended."],
};

/** Shows whether the screens follow the service. */
export function LiveState() {
  const [tone, word, title] = WORDS[useLiveState()];
  return (
    <span className="live-state" role="status" title={title}>
      <Status of={[tone, word]} plain />
    </span>
  );
}
