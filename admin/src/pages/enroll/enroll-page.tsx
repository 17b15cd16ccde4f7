import { useLocation } from "@tanstack/react-router";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { CopyButton, Empty } from "../../ui/ui.ts";
import { CodeCommands } from "../connect/enrollment-commands.tsx";
import { claimCodeIn } from "./claim-code-in.ts";

/**
 * The screen behind the QR code of a claim, for a phone beside the device: the code and the commands that redeem it.
 */
export default function EnrollPage() {
  const { hash } = useLocation();
  const code = claimCodeIn(hash);
  if (code === undefined) {
    return (
      <OpenFrame title="Enroll a device">
        <Empty title="There is no claim code in this address.">
          Scan the QR code that the page of a claim shows after it is created.
        </Empty>
      </OpenFrame>
    );
  }
  return (
    <OpenFrame title="Enroll a device" lead="Run this on the device while the claim code is valid.">
      <p className="row">
        <code data-secret>{code}</code>
        <CopyButton text={code} label="Copy code" />
      </p>
      <CodeCommands claimCode={code} />
      <p>
        <a href="/claims">Watch it in the admin app</a>
      </p>
    </OpenFrame>
  );
}
