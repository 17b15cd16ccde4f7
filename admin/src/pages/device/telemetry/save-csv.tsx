import { t } from "#texts/pages/device.ts";
import type { SeriesOfRange } from "../../../api/live/series.ts";
import { type CsvColumn, csvText } from "../../../parts/chart/series-csv.ts";
import type { Span } from "../../../ui/chart/gaps.ts";
import { DownloadButton } from "../../../ui/ui.ts";
import type { LiveLine } from "./live-lines.ts";

interface SaveProps {
  deviceId: string;
  metrics: readonly string[];
}

/** Saves the points of the charts of a range: all metrics, in their resolution. */
export function SaveSeries({
  deviceId,
  metrics,
  series,
}: SaveProps & { series: readonly (SeriesOfRange | undefined)[] }) {
  const read = series.filter((each) => each !== undefined);
  const [first] = read;
  if (!first || read.length < metrics.length) return null;
  const columns = () => metrics.flatMap((metric, index) => columnsOf(metric, read[index]!));
  return (
    <DownloadButton
      label={t.downloadCsv}
      name={nameOf(deviceId, first.range, `${first.bucketSeconds}s`)}
      content={() => csvText(columns())}
    />
  );
}

export function SaveLines({ deviceId, metrics, lines, span }: SaveProps & { lines: readonly LiveLine[]; span: Span }) {
  const columns = () =>
    metrics.map((title, index) => {
      const { times, values } = lines[index]!.line;
      const measured = times.flatMap((at, point) => (values[point] == null ? [] : [[at, values[point]] as const]));
      return { title, values: new Map(measured) };
    });
  return (
    <DownloadButton label={t.downloadCsv} name={nameOf(deviceId, span, "live")} content={() => csvText(columns())} />
  );
}

function columnsOf(metric: string, { points }: SeriesOfRange): CsvColumn[] {
  const column = (title: string, of: "avg" | "min" | "max" | "count") => ({
    title: `${metric} ${title}`,
    values: new Map(points.map((point) => [Date.parse(point.at), point[of]])),
  });
  return [column("average", "avg"), column("lowest", "min"), column("highest", "max"), column("readings", "count")];
}

/** Returns the name of the file: `pump-1_2026-11-20T10-00-00Z_2026-11-21T10-00-00Z_300s.csv`. */
function nameOf(deviceId: string, { from, to }: Span, resolution: string): string {
  const [begin, end] = [from, to].map((at) => `${new Date(at).toISOString().slice(0, 19).replaceAll(":", "-")}Z`);
  return `${deviceId}_${begin}_${end}_${resolution}.csv`;
}
