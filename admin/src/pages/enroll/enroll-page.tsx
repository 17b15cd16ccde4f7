import { useLocation } from "@tanstack/react-router";
import { t } from "#texts/pages/sign-in.ts";
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
      <OpenFrame title={t.enrollADevice}>
        <Empty title={t.thereIsNoClaimCode}>{t.scanTheQrCodeThat}</Empty>
      </OpenFrame>
    );
  }
  return (
    <OpenFrame title={t.enrollADevice} lead={t.runThisOnTheDevice}>
      <p className="row">
        <code data-secret>{code}</code>
        <CopyButton text={code} label={t.copyCode} />
      </p>
      <CodeCommands claimCode={code} />
      <p>
        <a href="/claims">{t.watchItInTheAdmin}</a>
      </p>
    </OpenFrame>
  );
}
