import { TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useState } from "react";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/parts.ts";
import { searchQuery } from "../../api/overview.ts";
import { appRoutes } from "../../routes.ts";
import { Dialog } from "../../ui/ui.ts";
import { mayAll, useMay, useSession } from "../session.ts";
import "./palette.css";

/** Goes to a screen or a record by name. */
export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title={t.searchOrGoTo} opened={opened} onClose={onClose}>
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
        aria-label={t.nameOfAScreenA}
        placeholder={t.deviceTypeScreen}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={key}
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls="palette-list"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
      />
      <div id="palette-list" className="palette" role="listbox" aria-label={t.results}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard
          <div
            key={entry.href}
            id={`palette-${index}`}
            className="row between"
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
      {entries.length === 0 && <p className="soft">{t.nothingMatches}</p>}
    </div>
  );
}

function includes(title: string, text: string): boolean {
  return title.toLowerCase().includes(text.trim().toLowerCase());
}

interface Entry {
  href: string;
  title: string;
  note: string;
}

const LEAST_CHARACTERS = 2;

/** The screen and the label of each kind of record. */
const KINDS: Readonly<Record<string, readonly [route: string, label: string]>> = {
  device: ["/devices/$id", nouns.device.one],
  certificate: ["/certificates/$id", nouns.certificate.one],
  device_type: ["/device-types/$id", t.deviceType],
  claim: ["/claims/$id", nouns.claim.one],
  ticket: ["/tickets/$id", nouns.ticket.one],
  group: ["/groups/$id", nouns.group.one],
  shift: ["/shifts", nouns.shift.one],
  mqtt_client: ["/mqtt-clients", t.mqttClient],
  user: ["/users/$id", nouns.user.one],
};

/** Returns the records whose name contains `text`, of the kinds with a screen. */
function useFound(text: string): readonly Entry[] {
  const q = text.trim();
  const enabled = useMay("search") && q.length >= LEAST_CHARACTERS;
  const { data } = useQuery({ ...searchQuery(q), enabled, placeholderData: keepPreviousData });
  if (!enabled || !data) return [];
  return data.items.flatMap(({ kind, id, title }) => {
    const [route = "", note = ""] = KINDS[kind] ?? [];
    const shown = appRoutes.some(({ path }) => path === route);
    if (!shown) return [];
    // Devices of one claim share its name.
    const label = kind === "device" && id !== title ? `${note} ${id}` : note;
    return [{ href: route.replace("$id", encodeURIComponent(id)), title, note: label }];
  });
}

const SEQUENCE_MS = 1000;

/**
 * Handles the keyboard: Ctrl-K and `?` open the palette, `/` goes to the filter of the list, `g` and a letter open a
 * screen.
 */
export function useShortcuts({ openPalette }: { openPalette: () => void }): void {
  const router = useRouter();
  useEffect(() => {
    let goUntil = 0;
    const press = (event: globalThis.KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return openPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.timeStamp < goUntil) {
        goUntil = 0;
        const path = appRoutes.find(({ menu }) => menu?.key === event.key)?.path;
        if (path) void router.navigate({ to: path });
      } else if (event.key === "g") goUntil = event.timeStamp + SEQUENCE_MS;
      else if (event.key === "?") openPalette();
      else if (event.key === "/") focusFilter(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [router, openPalette]);
}

function focusFilter(event: globalThis.KeyboardEvent): void {
  const filter = document.querySelector<HTMLElement>('[data-filter="text"]');
  if (!filter) return;
  event.preventDefault();
  filter.focus();
}

/** Whether the keys belong to a field or a dialog. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, dialog") !== null;
}
