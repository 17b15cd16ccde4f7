import { useQuery } from "@tanstack/react-query";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { Loaded } from "../loaded.tsx";
import { ChoicesField, type ChosenIds } from "./choices-field.tsx";

/** Chooses the threshold packs that watch. */
export function PacksField(field: Omit<ChosenIds, "label">) {
  return (
    <Loaded query={useQuery(thresholdChoicesQuery)}>
      {({ items }) => (
        <ChoicesField
          {...field}
          label="Threshold packs"
          choices={items.map(({ id, name }) => ({ id, label: name }))}
          none="There is no threshold pack yet."
        />
      )}
    </Loaded>
  );
}
