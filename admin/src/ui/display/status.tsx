import type { ReactNode } from "react";
import { type Tone, toneStyle } from "../theme/tones.ts";
import "./status.css";

/** Each tone has a shape of its own, so that no meaning rests on colour alone. */
const SHAPES: Record<Tone, ReactNode> = {
  good: <circle cx="5" cy="5" r="4.5" fill="currentColor" />,
  neutral: <circle cx="5" cy="5" r="3.75" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  accent: <rect x="1" y="1" width="8" height="8" rx="1.5" fill="currentColor" />,
  warn: <path d="M5 .8 9.6 9.2H.4Z" fill="currentColor" />,
  bad: <path d="M5 0l5 5-5 5-5-5Z" fill="currentColor" />,
};

/** The shape of a tone, in the colour of the text around it. */
export function Shape({ tone }: { tone: Tone }) {
  return (
    <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}

interface StatusProps {
  of: readonly [tone: Tone, label: ReactNode];
  /** Without a frame, for tables. */
  plain?: boolean | undefined;
}

/** The state of a thing: shape, word and colour. */
export function Status({ of: [tone, label], plain }: StatusProps) {
  return (
    <span className={plain ? "status status-plain" : "status"} style={toneStyle(tone)}>
      <Shape tone={tone} />
      {label}
    </span>
  );
}

interface NoticeProps {
  tone: Tone;
  title?: string;
  children?: ReactNode;
  /** Makes screen readers announce the message when it appears. */
  live?: boolean;
}

/** A framed message. */
export function Notice({ tone, title, children, live }: NoticeProps) {
  return (
    <div className="notice" style={toneStyle(tone)} role={live ? (tone === "bad" ? "alert" : "status") : undefined}>
      {title && <p className="notice-title">{title}</p>}
      {children}
    </div>
  );
}
