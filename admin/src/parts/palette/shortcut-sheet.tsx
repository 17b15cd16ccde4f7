import { t as palette } from "#texts/palette.ts";
import { appRoutes } from "../../routes.ts";
import { Dialog } from "../../ui/ui.ts";
import { mayAll, useSession } from "../session.ts";
import "./shortcut-sheet.css";

/** The shortcuts of every screen: the keys, and their effect. */
const EVERYWHERE: readonly [keys: readonly string[], act: string][] = [
  [[palette.ctrl, "K"], palette.searchOrAct],
  [["/"], palette.filterTheList],
  [["?"], palette.showShortcuts],
  [[palette.esc], palette.closeDialog],
];

/** Lists the keyboard shortcuts, including those that open the screens that the user may open. */
export function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const session = useSession();
  const screens = appRoutes.filter(({ menu, operations }) => menu && mayAll(session, operations));
  return (
    <Dialog wide title={palette.shortcuts} opened={opened} onClose={onClose}>
      <div className="shortcut-sheet">
        <section aria-label={palette.everywhere}>
          <h3>{palette.everywhere}</h3>
          <dl>
            {EVERYWHERE.map(([keys, act]) => (
              <Shortcut key={act} keys={keys} act={act} />
            ))}
          </dl>
        </section>
        <section aria-label={palette.goTo}>
          <h3>{palette.goTo}</h3>
          <dl>
            {screens.map(({ path, title, menu }) => (
              <Shortcut key={path} keys={["g", menu!.key]} act={title} inTurn />
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}

function Shortcut({ keys, act, inTurn }: { keys: readonly string[]; act: string; inTurn?: boolean }) {
  return (
    <div className="shortcut">
      <dt>
        {keys.map((key, at) => (
          <span key={key}>
            {at > 0 && <span className="soft"> {inTurn ? palette.thenKey : "+"} </span>}
            <kbd>{key}</kbd>
          </span>
        ))}
      </dt>
      <dd>{act}</dd>
    </div>
  );
}
