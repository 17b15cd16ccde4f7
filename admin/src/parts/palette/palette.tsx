import { TextInput } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useState } from "react";
import { appRoutes } from "../../routes.ts";
import { Dialog } from "../../ui/input/dialog.tsx";
import { mayAll, useSession } from "../session.ts";
import { type Entry, useFound } from "./use-found.ts";
import "./palette.css";

/** Goes to a screen or a record by name. */
export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title="Search or go to" opened={opened} onClose={onClose}>
      <PaletteContent onClose={onClose} />
    </Dialog>
  );
}

function PaletteContent({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const router = useRouter();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = useFound(text);
  const screens: Entry[] = appRoutes
    .filter(({ menu, operations, title }) => menu && mayAll(session, operations) && includes(title, text))
    .map(({ path, title, menu }) => ({ href: path, title, note: menu?.key ? `g ${menu.key}` : "" }));
  const entries = [...screens, ...found];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins at the top
  useEffect(() => setAt(0), [text]);
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void router.navigate({ href: entry.href });
  };
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(entries[at]);
    if (step === undefined) return;
    event.preventDefault();
    setAt((before) => (before + step + entries.length) % Math.max(1, entries.length));
  };
  return (
    <div className="stack">
      <TextInput
        data-autofocus
        aria-label="Name of a screen, a device or a type"
        placeholder="Device, type, screen…"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={key}
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls="palette-list"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
      />
      <div id="palette-list" className="palette" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard
          <div
            key={entry.href}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => open(entry)}
            onPointerMove={() => setAt(index)}
          >
            <span>{entry.title}</span>
            <span className="soft">{entry.note}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="soft">Nothing matches.</p>}
    </div>
  );
}

function includes(title: string, text: string): boolean {
  return title.toLowerCase().includes(text.trim().toLowerCase());
}
