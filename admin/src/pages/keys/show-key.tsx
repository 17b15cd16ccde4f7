import { Button } from "@mantine/core";
import { CopyBlock } from "../../ui/input/copy.tsx";
import { DialogActions } from "../../ui/input/dialog.tsx";
import { Secret } from "../../ui/input/secret.tsx";
import { useBroker } from "../connect/use-broker.ts";
import { requestFor } from "./request-for.ts";

interface ShowKeyProps {
  value: string;
  scopes: readonly string[];
  onDone: () => void;
}

/** A new key, once, with a request that its scopes allow. */
export function ShowKey({ value, scopes, onDone }: ShowKeyProps) {
  const { baseUrl, caPem } = useBroker();
  return (
    <>
      <Secret label="API key" value={value} />
      <CopyBlock label="Try it">{requestFor(value, scopes, { origin: baseUrl ?? location.origin, caPem })}</CopyBlock>
      <p className="soft">
        Operations and errors are in the{" "}
        <a href="/docs/api" target="_blank" rel="noreferrer">
          API reference
        </a>
        .
      </p>
      <DialogActions>
        <Button onClick={onDone}>I have copied it</Button>
      </DialogActions>
    </>
  );
}
