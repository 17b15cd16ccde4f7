import { useEffect, useState } from "react";
import { t } from "#texts/ui.ts";
import { Action } from "./action.tsx";
import "./copy.css";

const SHOWN_MS = 2000;

export function CopyButton({ text, label = t.copy }: { text: string; label?: string }) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("failed"),
    );
  return (
    <Action
      small
      label={<span aria-live="polite">{{ ready: label, copied: t.copied, failed: t.selectAndCopyIt }[state]}</span>}
      onClick={copy}
    />
  );
}

interface CopyBlockProps {
  /** The purpose, shown above. */
  label: string;
  children: string;
  /** The name for a download, if it is a file and not a command. */
  file?: string;
}

/** A command or a file with real values, ready to copy. */
export function CopyBlock({ label, children, file }: CopyBlockProps) {
  return (
    <figure className="command framed">
      <figcaption className="command-top row between">
        <span>{label}</span>
        <span className="row">
          {file && <DownloadButton name={file} content={children} />}
          <CopyButton text={children} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0}>{children}</pre>
    </figure>
  );
}

interface DownloadProps {
  name: string;
  /** The content, or a function that makes it on saving. */
  content: string | Uint8Array<ArrayBuffer> | (() => string);
  label?: string;
}

/** Saves `content` as a file, made in the browser and sent nowhere. */
export function DownloadButton({ name, content, label = t.download }: DownloadProps) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([typeof content === "function" ? content() : content]));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  };
  return <Action small label={label} onClick={save} />;
}
