/** The context of an artifact's check. */
export interface CheckContext {
  /** The repository. */
  root: string;
  /** The version of the artifacts. */
  version: string;
  /** The folder of the artifacts. */
  out: string;
  /** The paths of the npm packages. */
  artifacts: { agent: string; service: string };
  /** A folder for the check, which is removed afterwards. */
  work: string;
  /** Reports a step that succeeded. */
  say(text: string): void;
}

/** One check of `npm run release:check`. */
export interface ArtifactCheck {
  name: string;
  /** Programs that the check runs; without one of them it fails. */
  programs: readonly string[];
  /** Whether it must run as root, for `chroot` and `buildah`. */
  asRoot?: boolean;
  run(context: CheckContext): Promise<void>;
}
