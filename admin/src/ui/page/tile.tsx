import type { Tone } from "../theme/tones.ts";
import "./tile.css";

interface TileProps {
  label: string;
  /** Absent while it is being read. */
  value: number | undefined;
  /** The list of what was counted. */
  href: string;
  /** How a count above zero is meant. */
  tone?: Tone;
  /** Below the count. */
  note?: string | undefined;
}

/** A count, which leads to what it counts. */
export function Tile({ label, value, href, tone = "neutral", note }: TileProps) {
  return (
    <a className={`tile tile-${value ? tone : "neutral"}`} href={href}>
      <span className="tile-label">{label}</span>
      <span className="tile-value">{value === undefined ? "…" : value.toLocaleString()}</span>
      {note && <span className="tile-note">{note}</span>}
    </a>
  );
}

export function Tiles({ children }: { children: React.ReactNode }) {
  return <div className="tiles">{children}</div>;
}
