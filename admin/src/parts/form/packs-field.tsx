import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { Loaded } from "../loaded.tsx";
import "./groups-field.css";

interface PacksFieldProps {
  description: ReactNode;
  /** As a form gives them: ids of threshold packs. */
  value?: string[];
  onChange: (ids: string[]) => void;
  error?: ReactNode;
}

/** Chooses the threshold packs that watch. */
export function PacksField({ description, value = [], onChange, error }: PacksFieldProps) {
  return (
    <Loaded query={useQuery(thresholdChoicesQuery)}>
      {({ items }) => (
        <Checkbox.Group
          label="Threshold packs"
          description={description}
          value={value}
          onChange={onChange}
          error={error}
        >
          <div className="groups-choices">
            {items.length === 0 && <p className="soft">There is no threshold pack yet.</p>}
            {items.map(({ id, name }) => (
              <Checkbox key={id} value={id} label={name} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </Loaded>
  );
}
