import { Textarea } from "@mantine/core";
import { type AcknowledgeOutcomes, ANOMALIES, acknowledgeAnomalies } from "../../api/monitoring/anomalies.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { plural } from "../../ui/ui.ts";

interface AcknowledgeProps {
  ids: readonly string[];
  onClose: () => void;
  onDone?: () => void;
}

export function acknowledgeTitle(ids: readonly string[]): string {
  return ids.length === 1 ? "Acknowledge the anomaly" : `Acknowledge ${plural(ids.length, "anomaly", "anomalies")}`;
}

/** Acknowledges anomalies with a comment, which stops their further pages. */
export function AcknowledgeForm({ ids, onClose, onDone }: AcknowledgeProps) {
  const [form, field] = useFields({ comment: "" }, "acknowledgeAnomalies");
  const end = () => {
    onClose();
    onDone?.();
  };
  return (
    <Form
      form={form}
      onSubmit={({ comment }) => acknowledgeAnomalies(ids, comment)}
      action="Acknowledge"
      onCancel={onClose}
      done={sentenceOf}
      refreshes={[ANOMALIES, "/api/admin/overview"]}
      onDone={end}
    >
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
        {...field("comment")}
      />
    </Form>
  );
}

/** Returns the outcomes as a sentence. */
function sentenceOf({ acknowledged, unchanged, notFound }: AcknowledgeOutcomes): string {
  const parts = [`${acknowledged.toLocaleString()} acknowledged`];
  if (unchanged > 0) parts.push(`${unchanged.toLocaleString()} had been before`);
  if (notFound > 0) parts.push(`${notFound.toLocaleString()} no longer there`);
  return acknowledged === 1 && parts.length === 1 ? "The anomaly is acknowledged." : `${parts.join(", ")}.`;
}
