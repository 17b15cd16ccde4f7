import { Button } from "@mantine/core";
import { useState } from "react";
import { type GroupChannel, showWebhook } from "../../api/people/group-channels.ts";
import { GROUPS } from "../../api/people/groups.ts";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { CANCELLED } from "../../parts/step-up/step-up.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Notice } from "../../ui/display/status.tsx";
import { DialogActions } from "../../ui/input/dialog.tsx";
import { Secret } from "../../ui/input/secret.tsx";

interface WebhookSecretProps {
  id: string;
  channel: GroupChannel;
  onClose: () => void;
}

/** Shows what the messages to a webhook are signed with, and has a disabled one used again. */
export function WebhookSecret({ id, channel, onClose }: WebhookSecretProps) {
  const [shown, setShown] = useState<{ secret: string; disabled: boolean }>();
  const [error, setError] = useState<unknown>();
  const refresh = useRefresh();
  const show = async (enable: boolean) => {
    setError(undefined);
    try {
      setShown(await showWebhook(id, { target: channel.target, enable }));
      if (enable) await refresh(GROUPS);
    } catch (reason) {
      if (reason !== CANCELLED) setError(reason);
    }
  };
  return (
    <div className="stack">
      <p>
        Messages to <span className="mono">{channel.target}</span> are signed with a secret of this group and address
        (Standard Webhooks), so that the receiver can verify them.
      </p>
      {channel.state === "disabled" && (
        <Notice tone="warn" title="Nothing is sent there">
          <p>It answered 410 (gone). Once the receiver is mended, have it used again.</p>
        </Notice>
      )}
      {shown && <Secret label="Signing secret" value={shown.secret} />}
      {error !== undefined && <ProblemBox error={error} />}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {channel.state === "disabled" && <Button onClick={() => void show(true)}>Use it again</Button>}
        {!shown && <Button onClick={() => void show(false)}>Show the secret</Button>}
      </DialogActions>
    </div>
  );
}
