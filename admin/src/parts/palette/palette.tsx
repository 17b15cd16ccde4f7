import { TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useState } from "react";
import { nouns } from "#texts/nouns.ts";
import { t as words } from "#texts/palette.ts";
import { t } from "#texts/parts.ts";
import { searchQuery } from "../../api/overview.ts";
import { appRoutes } from "../../routes.ts";
import { Dialog } from "../../ui/ui.ts";
import { mayAll, useMay, useSession } from "../session.ts";
import { ACTIONS } from "./actions.ts";
import "./palette.css";

/** Goes to a screen or a record by name, or begins an act. */
export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title={words.searchOrAct} opened={opened} onClose={onClose}>
      <PaletteContent onClose={onClose} />
    </Dialog>
  );
}

function PaletteContent({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const entries = useEntries(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins at the top
  useEffect(() => setAt(0), [text]);
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    // Another state makes it a navigation even if the address stays, so that a closed dialog opens again.
    void router.navigate({ href: entry.href, state: { at: Date.now() } as object });
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
            key={`${entry.href} ${entry.title}`}
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

/** Returns the screens, acts and records that match a text. */
function useEntries(text: string): readonly Entry[] {
  const session = useSession();
  const found = useFound(text);
  const screens = appRoutes
    .filter(({ menu, operations, title }) => menu && mayAll(session, operations) && includes(title, text))
    .map(({ path, title, menu }) => ({ href: path, title, note: menu?.key ? `g ${menu.key}` : "" }));
  const acts = ACTIONS.filter(({ operation, title }) => mayAll(session, [operation]) && includes(title, text));
  return [...screens, ...acts.map(({ href, title }) => ({ href, title, note: words.action })), ...found];
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
