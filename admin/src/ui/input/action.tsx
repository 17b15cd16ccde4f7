import { Button, type ButtonProps } from "@mantine/core";
import type { MouseEventHandler, ReactNode } from "react";

export interface ActionProps extends Pick<ButtonProps, "loading" | "className" | "color"> {
  label: ReactNode;
  onClick?: MouseEventHandler | undefined;
  /** The screen to which it leads. */
  href?: string;
  /** The primary action of its place. */
  main?: boolean;
  /** An action that cannot be undone. */
  danger?: boolean;
  /** An action beside the main content, without a frame. */
  subtle?: boolean;
  /** For rows of tables and bars. */
  small?: boolean;
  disabled?: boolean | undefined;
  /** The reason why it is disabled. */
  title?: string | undefined;
  type?: "submit";
  download?: boolean;
  "aria-label"?: string;
  "aria-expanded"?: boolean;
  "data-autofocus"?: boolean;
}

/** A button, or a link that looks like one. */
export function Action({ label, main, danger, subtle, small, ...props }: ActionProps) {
  const variant = main || props.type ? "filled" : danger ? "light" : subtle ? "subtle" : "default";
  const button = { variant, ...(danger && { color: "bad" }), ...(small && { size: "xs" }), children: label };
  return props.href === undefined ? (
    <Button {...button} {...(props as object)} />
  ) : (
    <Button component="a" {...button} {...(props as object)} />
  );
}
