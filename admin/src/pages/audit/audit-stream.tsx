import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/settings/audit-stream.ts";
import {
  AUDIT_STREAM,
  auditStreamQuery,
  deleteAuditStream,
  type AuditStream as Stream,
  setAuditStream,
} from "../../api/audit-stream.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { numberText } from "../../texts/number-text.ts";
import { Ago, Empty, Facts, Notice, Opens, Secret, ShownOnce, Status } from "../../ui/ui.ts";

/** Shows the receiver of the tenant's audits, how far it is behind, and why. */
export default function AuditStream() {
  const query = useQuery({ ...auditStreamQuery, refetchInterval: 10_000 });
  return <Loaded query={query}>{({ stream }) => <Content stream={stream} />}</Loaded>;
}

function Content({ stream }: { stream: Stream | null }) {
  const may = useMay("setAuditStream");
  // The form stays in its place when the first receiver is set: it shows the secret then.
  return (
    <>
      {stream === null ? <Empty title={t.noReceiver}>{t.everyLaterEntry}</Empty> : <StateOf stream={stream} />}
      {may && (
        <div className="row">
          <Opens label={stream ? t.changeReceiver : t.setReceiver} title={t.receiver} wide>
            {(close) => <SetStream stream={stream} onClose={close} />}
          </Opens>
          {stream && <EndStream />}
        </div>
      )}
    </>
  );
}

function StateOf({ stream }: { stream: Stream }) {
  return (
    <>
      {stream.lost > 0 && (
        <Notice tone="bad" title={t.entriesAreMissing}>
          <p>{t.missing(nouns.entry(stream.lost))}</p>
        </Notice>
      )}
      <Facts framed facts={factsOf(stream)} />
    </>
  );
}

function EndStream() {
  return (
    <Asks
      label={t.endStream}
      title={t.endTheStream}
      action={t.endStream}
      run={deleteAuditStream}
      done={t.theStreamHasEnded}
      refreshes={[AUDIT_STREAM]}
    >
      <p>{t.waitingEntriesAreNotSent}</p>
    </Asks>
  );
}

const KINDS: Readonly<Record<Stream["kind"], string>> = { syslog: t.syslog, https: t.https, otlp: t.otlp };

function stateOf({ lastError, lastSentAt }: Stream): ComponentProps<typeof Status>["of"] {
  if (lastError !== null) return ["bad", t.fails];
  return lastSentAt === null ? ["neutral", t.hasSentNothingYet] : ["good", t.delivers];
}

function factsOf(stream: Stream) {
  const { kind, target, lastSentAt, lastError, waiting, oldestAt } = stream;
  return {
    [common.state]: <Status of={stateOf(stream)} />,
    [t.kind]: KINDS[kind],
    [t.receiver]: <span className="mono">{target}</span>,
    [t.lastSent]: <Ago at={lastSentAt} />,
    [t.waiting]: (
      <>
        {numberText(waiting)} {oldestAt && t.theOldest(<Ago at={oldestAt} />)}
      </>
    ),
    ...(lastError !== null && { [t.lastError]: lastError }),
  };
}

function SetStream({ stream, onClose }: { stream: Stream | null; onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const begun = { kind: stream?.kind ?? "https", target: stream?.target ?? "", caPem: stream?.caPem ?? "" };
  const [form, field] = useFields(begun, "setAuditStream");
  const submit = async ({ kind, target, caPem }: typeof form.values) => {
    const set = await setAuditStream({ kind, target, caPem: caPem.trim() === "" ? null : caPem });
    if (set.secret === null) onClose();
    else setSecret(set.secret);
  };
  if (secret !== undefined)
    return (
      <ShownOnce title={t.signingSecret} done={t.iHaveCopiedIt} onDone={onClose}>
        <Secret label={t.signingSecret} value={secret} />
      </ShownOnce>
    );
  const isSyslog = form.values.kind === "syslog";
  return (
    <Form form={form} onSubmit={submit} action={common.save} onCancel={onClose} refreshes={[AUDIT_STREAM]}>
      <NativeSelect
        label={t.kind}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        {...field("kind")}
      />
      <TextInput
        label={t.receiver}
        placeholder={isSyslog ? "syslogs://logs.example.com:6514" : "https://siem.example.com/muster"}
        {...field("target")}
      />
      {isSyslog && <Textarea label={t.caOfTheReceiver} description={t.emptyForPublic} rows={4} {...field("caPem")} />}
    </Form>
  );
}
