import { Textarea } from "@mantine/core";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/anomalies.ts";
import { type AcknowledgeOutcomes, ANOMALIES, acknowledgeAnomalies } from "../../api/monitoring/anomalies.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { numberText } from "../../texts/number-text.ts";

interface AcknowledgeProps {
  ids: readonly string[];
  onClose: () => void;
  onDone?: () => void;
}

export function acknowledgeTitle(ids: readonly string[]): string {
  return ids.length === 1 ? t.acknowledgeTheAnomaly : t.acknowledge(nouns.anomaly(ids.length));
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
      action={t.acknowledge2}
      onCancel={onClose}
      done={sentenceOf}
      refreshes={[ANOMALIES, "/api/admin/overview"]}
      onDone={end}
    >
      <p>{t.youSayThatYouLook(ids.length === 1 ? "it" : "them")}</p>
      <Textarea
        label={t.comment}
        description={t.optionalItStaysWithThe}
        placeholder={t.onMyWayToThe}
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
  const parts = [t.acknowledged(numberText(acknowledged))];
  if (unchanged > 0) parts.push(t.hadBeenBefore(numberText(unchanged)));
  if (notFound > 0) parts.push(t.noLongerThere(numberText(notFound)));
  return acknowledged === 1 && parts.length === 1 ? t.theAnomalyIsAcknowledged : `${parts.join(", ")}.`;
}
