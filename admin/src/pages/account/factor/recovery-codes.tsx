import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/account.ts";
import { renewRecoveryCodes } from "../../../api/people/factors.ts";
import { Asks } from "../../../parts/act/confirm.tsx";
import { useSession } from "../../../parts/session.ts";
import { CopyButton, Dialog, DownloadButton, Facts, ShownOnce, Status } from "../../../ui/ui.ts";
import "./set-up-factor.css";

/** The number of recovery codes from which new ones are advised. */
const FEW = 3;

/** The recovery codes of a user with a second factor: how many are left, and the way to new ones. */
export function OwnRecoveryCodes({ left }: { left: number }) {
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const renew = async () => {
    setCodes(await renewRecoveryCodes());
    await queries.invalidateQueries();
  };
  const close = () => setCodes(undefined);
  const state = <Status of={[left <= FEW ? "warn" : "neutral", left === 0 ? t.noneLeft : t.left(left)]} />;
  return (
    <>
      <Facts facts={{ [t.recoveryCodes]: state }} />
      <div>
        <Asks label={t.newRecoveryCodes} title={t.makeNewRecoveryCodes} action={t.makeNewCodes} run={renew}>
          <p>{left === 0 ? t.youGetTenNewOnes : t.youGetTenNewOnesThe(nouns.formerCode(left))}</p>
        </Asks>
      </div>
      <Dialog title={t.yourRecoveryCodes} opened={codes !== undefined} onClose={close}>
        {codes && <RecoveryCodes codes={codes} onDone={close} />}
      </Dialog>
    </>
  );
}

/** Shows new recovery codes once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { user } = useSession();
  const text = codes.map((code) => `${code}\n`).join("");
  const file = t.recoveryCodesOfAtNeach(user.email, location.host, text);
  return (
    <ShownOnce title={t.yourRecoveryCodes} done={t.iHaveStoredThem} onDone={onDone}>
      <div className="secret stack-tight">
        <p>{t.withoutYourPhoneEachOf(<strong>{t.storeTheseCodesNowThey}</strong>)}</p>
        <ul className="recovery-codes list" aria-label={t.recoveryCodes} data-secret>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="row">
          <CopyButton text={text} label={t.copyAll} />
          <DownloadButton name="muster-recovery-codes.txt" content={file} />
        </div>
      </div>
    </ShownOnce>
  );
}
