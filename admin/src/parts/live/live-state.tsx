import { t } from "#texts/parts.ts";
import type { Tone } from "../../ui/theme/tones.ts";
import { Status } from "../../ui/ui.ts";
import { useLiveState } from "./use-live.ts";
import "./live-state.css";

const WORDS: Record<ReturnType<typeof useLiveState>, readonly [Tone, string, string]> = {
  connecting: ["neutral", t.connecting, t.thePageAsksTheService],
  live: ["good", t.live, t.changesAreShownAsThey],
  interrupted: ["warn", t.reconnecting, t.theServiceDoesNotAnswer],
  ended: ["bad", t.notLive, t.theSessionHasEnded],
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
