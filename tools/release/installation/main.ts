/** `node tools/release/installation/main.ts <folder>`: writes an installed service, as the Dockerfile copies it. */
import { resolve } from "node:path";
import { run } from "../run.ts";
import { stageInstallation } from "./stage.ts";

const root = resolve(import.meta.dirname, "../../..");
await run(process.execPath, ["admin/tools/build.ts"], { cwd: root });
await stageInstallation(root, resolve(process.argv[2]!));
