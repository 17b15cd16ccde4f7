import { Empty } from "../ui/display/empty.tsx";
import { Page } from "../ui/page/page.tsx";

/** For an address that no screen has. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no such page" action={<a href="/">Go to the first page</a>}>
        Its address may have been another in an earlier version.
      </Empty>
    </Page>
  );
}
