import { TextInput } from "@mantine/core";
import { common } from "#texts/common.ts";
import { t } from "#texts/maintenance.ts";
import { deleteWindow, endWindow, extendWindow, type MaintenanceWindow } from "../../api/people/windows.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { instantOf, localMinute } from "../../parts/filter-values.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Opens } from "../../ui/ui.ts";
import { OF_WINDOWS } from "./window-form.tsx";

const HOUR_MS = 3_600_000;

/** Ends, extends or deletes a window. */
export function WindowActions({ window }: { window: MaintenanceWindow }) {
  const { id, name, current } = window;
  return (
    <div className="row">
      {current && (
        <>
          <Asks
            small
            label={t.endNow}
            title={t.endQuestion(name)}
            action={t.endNow}
            harmless
            run={() => endWindow(id)}
            done={t.endedToast}
            refreshes={OF_WINDOWS}
          >
            <p>{t.endText}</p>
          </Asks>
          <Opens small label={t.extend} title={t.extendTitle(name)}>
            {(close) => <Extend window={window} onClose={close} />}
          </Opens>
        </>
      )}
      <Asks
        small
        label={common.delete}
        title={t.deleteQuestion(name)}
        action={t.deleteAction}
        run={() => deleteWindow(id)}
        done={t.deleted}
        refreshes={OF_WINDOWS}
      >
        <p>{t.deleteText}</p>
      </Asks>
    </div>
  );
}

function Extend({ window: { id, current }, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  const until = localMinute(Date.parse(current!.endsAt) + HOUR_MS);
  const [form, field] = useFields({ until }, undefined, { until: (text) => (text === "" ? t.enterATime : null) });
  return (
    <Form
      form={form}
      onSubmit={(values) => extendWindow(id, instantOf(values.until)!)}
      action={t.extend}
      onCancel={onClose}
      onDone={onClose}
      done={t.extended}
      refreshes={OF_WINDOWS}
    >
      <TextInput type="datetime-local" label={t.newEnd} description={t.inYourZone} data-autofocus {...field("until")} />
    </Form>
  );
}
