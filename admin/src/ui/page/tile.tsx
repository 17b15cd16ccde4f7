import { numberText } from "../../texts/number-text.ts";
import { type Tone, toneStyle } from "../theme/tones.ts";
import "./tile.css";

/** The classes of tiles with a count above zero; a good count needs no attention. */
const CLASSES: Partial<Record<Tone, string>> = { good: " tile-good", warn: " tile-toned", bad: " tile-toned" };

export interface TileProps {
  label: string;
  /** Absent while the count is read. */
  value: number | undefined;
  /** The list of the counted records. */
  href: string;
  /** The tone of a count above zero. */
  tone?: Tone;
  /** Shown below the count. */
  note?: string | undefined;
}

/** A count with a link to the counted records. */
export function Tile({ label, value, href, tone = "neutral", note }: TileProps) {
  return (
    <a className={`tile framed${value ? (CLASSES[tone] ?? "") : ""}`} style={toneStyle(tone)} href={href}>
      <span className="tile-label">{label}</span>
      <span className="tile-value">{value === undefined ? "…" : numberText(value)}</span>
      {note && <span className="tile-note">{note}</span>}
    </a>
  );
}

export function Tiles({ children }: { children: React.ReactNode }) {
  return <div className="tiles">{children}</div>;
}
