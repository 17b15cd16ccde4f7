import { Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type AcknowledgeOutcomes, ANOMALIES, acknowledgeAnomalies } from "../../api/monitoring/anomalies.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";
import { Dialog } from "../../ui/input/dialog.tsx";

interface AcknowledgeProps {
  opened: boolean;
  ids: readonly string[];
  onClose: () => void;
  onDone?: () => void;
}

/** Says that the user looks after anomalies, with a comment: their further pages stop. */
export function Acknowledge({ opened, onClose, ...props }: AcknowledgeProps) {
  const title =
    props.ids.length === 1
      ? "Acknowledge the anomaly"
      : `Acknowledge ${plural(props.ids.length, "anomaly", "anomalies")}`;
  return (
    <Dialog title={title} opened={opened} onClose={onClose}>
      <AcknowledgeForm onClose={onClose} {...props} />
    </Dialog>
  );
}

function AcknowledgeForm({ ids, onClose, onDone }: Omit<AcknowledgeProps, "opened">) {
  const refresh = useRefresh();
  const form = useForm({
    mode: "controlled",
    initialValues: { comment: "" },
    validate: rulesOf("acknowledgeAnomalies", ["comment"]),
  });
  const submit = async ({ comment }: { comment: string }) => {
    const outcomes = await acknowledgeAnomalies(ids, comment);
    await refresh(ANOMALIES, "/api/admin/overview");
    toast(sentenceOf(outcomes));
    onClose();
    onDone?.();
  };
  return (
    <Form form={form} onSubmit={submit} action="Acknowledge" onCancel={onClose}>
      <p>
        You say that you look after {ids.length === 1 ? "it" : "them"}: further pages are stopped. An anomaly is
        resolved by itself, when its values are well again.
      </p>
      <Textarea
        label="Comment"
        description="Optional. It stays with the anomaly."
        placeholder="On my way to the pump hall"
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps("comment")}
      />
    </Form>
  );
}

/** What became of them, in a sentence. */
function sentenceOf({ acknowledged, unchanged, notFound }: AcknowledgeOutcomes): string {
  const parts = [`${acknowledged.toLocaleString()} acknowledged`];
  if (unchanged > 0) parts.push(`${unchanged.toLocaleString()} had been before`);
  if (notFound > 0) parts.push(`${notFound.toLocaleString()} no longer there`);
  return acknowledged === 1 && parts.length === 1 ? "The anomaly is acknowledged." : `${parts.join(", ")}.`;
}
