import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { Problem } from "../../api/problem.ts";
import { Notice } from "../../ui/display/status.tsx";

interface OverrideState {
  /** The service has asked for it. */
  asked: boolean;
  given: boolean;
  /** Why the bundle cannot be issued now. */
  blocked: string | undefined;
  onChange: (given: boolean) => void;
}

/** The acknowledgement that the service asks for where a device has a live certificate that it enrolled itself. */
export function useOverride(): OverrideState & { tried: <T>(issue: () => Promise<T>) => Promise<T> } {
  const [asked, setAsked] = useState(false);
  const [given, setGiven] = useState(false);
  const tried = async <T,>(issue: () => Promise<T>): Promise<T> => {
    try {
      return await issue();
    } catch (reason) {
      if (reason instanceof Problem && reason.code === "device_self_enrolled") setAsked(true);
      throw reason;
    }
  };
  const blocked = asked && !given ? "Confirm the second identity first." : undefined;
  return { asked, given, blocked, onChange: setGiven, tried };
}

/** Says in words what is acknowledged. */
export function Override({ asked, given, onChange }: OverrideState) {
  if (!asked) return null;
  return (
    <Notice tone="warn" title="This device has enrolled itself." live>
      <p>
        It has a private key that never left it, and renews its certificate by itself. A bundle is a second identity
        whose key existed outside of the device: every program with a copy of it can connect as this device, until the
        bundle is revoked or expires.
      </p>
      <Checkbox
        label="I want a second identity for this device all the same."
        checked={given}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </Notice>
  );
}
