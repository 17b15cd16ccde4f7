import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { deleteFilter, FILTERS, renameFilter, type SavedFilter } from "../../api/people/saved-filters.ts";
import { DialogActions } from "../../ui/input/dialog.tsx";
import { ProblemBox } from "../problem-box.tsx";
import { useRefresh } from "../use-refresh.ts";

/** Renames and deletes the saved filters of a list. */
export function ManageFilters({ saved, onClose }: { saved: readonly SavedFilter[]; onClose: () => void }) {
  const [error, setError] = useState<unknown>();
  const refresh = useRefresh();
  const act = async (change: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await change();
      await refresh(FILTERS);
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <div className="stack">
      {saved.length === 0 && <p className="soft">You have no saved filter of this list.</p>}
      {saved.map((filter) => (
        <Row
          key={filter.id}
          filter={filter}
          onRename={(name) => void act(() => renameFilter(filter.id, name))}
          onDelete={() => void act(() => deleteFilter(filter.id))}
        />
      ))}
      {error !== undefined && <ProblemBox error={error} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </div>
  );
}

interface RowProps {
  filter: SavedFilter;
  onRename: (name: string) => void;
  onDelete: () => void;
}

function Row({ filter, onRename, onDelete }: RowProps) {
  const [name, setName] = useState(filter.name);
  const changed = name.trim() !== "" && name.trim() !== filter.name;
  return (
    <div className="row">
      <TextInput
        aria-label={`Name of ${filter.name}`}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button size="xs" variant="default" disabled={!changed} onClick={() => onRename(name.trim())}>
        Rename
      </Button>
      <Button size="xs" variant="default" aria-label={`Delete ${filter.name}`} onClick={onDelete}>
        Delete
      </Button>
    </div>
  );
}
