import { Skeleton } from "@mantine/core";
import { useEffect, useState } from "react";
import { common } from "#texts/common.ts";
import "./qr-code.css";

/** The white modules around the code, without which readers do not find it (ISO/IEC 18004). */
const QUIET = 4;

interface Drawing {
  size: number;
  path: string;
}

/** A QR code, made in the browser and sent nowhere. The encoder is loaded with the first one. */
export function QrCode({ label, text }: { label: string; text: string }) {
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    let shown = true;
    void draw(text).then((made) => shown && setDrawing(made));
    return () => {
      shown = false;
    };
  }, [text]);
  if (!drawing) return <Skeleton height={200} width={200} role="status" aria-label={common.loading} />;
  const { size, path } = drawing;
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} data-text={text}>
      <path d={path} />
    </svg>
  );
}

async function draw(text: string): Promise<Drawing> {
  const { default: qrcode } = await import("qrcode-generator");
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const all = Array.from({ length: count * count }, (_, at) => [Math.floor(at / count), at % count] as const);
  const dark = all.filter(([row, column]) => code.isDark(row, column));
  return {
    size: count + 2 * QUIET,
    path: dark.map(([row, column]) => `M${column + QUIET} ${row + QUIET}h1v1h-1z`).join(""),
  };
}
