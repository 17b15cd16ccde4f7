import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import "./copy.css";

const SHOWN_MS = 2000;

/** Copies `text`, and says so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
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
    <Button size="xs" variant="default" onClick={copy}>
      <span aria-live="polite">{{ ready: label, copied: "Copied", failed: "Select and copy it" }[state]}</span>
    </Button>
  );
}

interface CopyBlockProps {
  /** What it is for, above it. */
  label: string;
  children: string;
  /** Where it is a file rather than a command: its name, for a download. */
  file?: string;
}

/** A command or a file with real values, ready to copy. */
export function CopyBlock({ label, children, file }: CopyBlockProps) {
  return (
    <figure className="command">
      <figcaption className="command-top">
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
  /** Or what makes it when it is saved. */
  content: string | Uint8Array<ArrayBuffer> | (() => string);
  label?: string;
}

/** Saves `content` as a file; it is made in the browser and sent nowhere. */
export function DownloadButton({ name, content, label = "Download" }: DownloadProps) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([typeof content === "function" ? content() : content]));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Button size="xs" variant="default" onClick={save}>
      {label}
    </Button>
  );
}
