import { Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useInfiniteQuery } from "@tanstack/react-query";
import { commentTicket, TICKETS, ticketCommentsQuery } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { ShowEarlier } from "../../ui/display/show-earlier.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Section } from "../../ui/page/page.tsx";

/** What people said about the ticket, newest first; a comment is never changed. */
export function Comments({ ticketId }: { ticketId: string }) {
  const query = useInfiniteQuery(ticketCommentsQuery(ticketId));
  const { data, error, refetch } = query;
  const mayComment = useMay("commentTicket");
  const comments = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title="Comments">
      {mayComment && <CommentForm ticketId={ticketId} />}
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data && comments.length === 0 && <p className="soft">There is no comment yet.</p>}
      <ul className="comments">
        {comments.map(({ id, at, author, text }) => (
          <li key={id}>
            <p className="row soft">
              <Actor of={author} />
              <Time at={at} />
            </p>
            <p className="ticket-text">{text}</p>
          </li>
        ))}
      </ul>
      <ShowEarlier query={query} />
    </Section>
  );
}

function CommentForm({ ticketId }: { ticketId: string }) {
  const refresh = useRefresh();
  const form = useForm({
    mode: "controlled",
    initialValues: { text: "" },
    validate: rulesOf("commentTicket", ["text"]),
  });
  const submit = async ({ text }: { text: string }) => {
    await commentTicket(ticketId, text);
    form.reset();
    await refresh(TICKETS);
  };
  return (
    <div className="comment-form">
      <Form form={form} onSubmit={submit} action="Comment">
        <Textarea
          label="Your comment"
          description="It stays as it is."
          autosize
          minRows={2}
          {...form.getInputProps("text")}
        />
      </Form>
    </div>
  );
}
