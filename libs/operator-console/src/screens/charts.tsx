/**
 * Small charts: lines of what was measured while the page is open, and bars of counts. The numbers are shown beside
 * them as text.
 */
import { colour } from '@platform/design-parts';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { lastWords, type Samples } from '../stream-trend';

/** Without this, a page that was just opened would show an axis of years around its one sample. */
const shownSeconds = 120;

function timesOf({ data: [times] }: uPlot): [number, number] {
  const last = times.at(-1) ?? Date.now() / 1_000;
  return [Math.min(times[0] ?? last, last - shownSeconds), last];
}

/** One line over time; drawn again when the samples change. */
export function Line({ samples, title }: { samples: Samples; title: string }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const made = new uPlot(
      {
        width: place.current!.clientWidth,
        height: 96,
        cursor: { show: false },
        legend: { show: false },
        // Half of the last time is written beyond the end of the axis.
        padding: [8, 28, 0, 0],
        scales: { x: { range: timesOf }, y: { range: (_plot, _low, high) => [0, Math.max(4, high)] } },
        axes: [
          {
            values: (_plot, splits) => splits.map((seconds) => new Date(seconds * 1_000).toISOString().slice(11, 19)),
            stroke: colour('--quiet'),
            grid: { show: false },
            ticks: { show: false },
            size: 22,
            font: '11px system-ui',
            space: 80,
          },
          {
            stroke: colour('--quiet'),
            grid: { stroke: colour('--line'), width: 1 },
            ticks: { show: false },
            size: 40,
            font: '11px system-ui',
          },
        ],
        series: [
          {},
          { stroke: colour('--accent'), width: 1.5, fill: colour('--accent-soft'), points: { show: false } },
        ],
      },
      [[...samples.times], [...samples.values]],
      place.current!,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: place.current?.clientWidth ?? 300, height: 96 }));
    resized.observe(place.current!);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData([[...samples.times], [...samples.values]]), [samples]);
  return (
    <figure class="chart">
      <figcaption>
        {title} <b class="amount">{lastWords(samples)}</b>
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}

export function Bars({
  bars,
  title,
}: {
  bars: readonly { readonly label: string; readonly value: number }[];
  title: string;
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <figure class="bars">
      <figcaption>{title}</figcaption>
      <ul>
        {bars.map(({ label, value }) => (
          <li key={label}>
            <span>{label}</span>
            <span class="track" aria-hidden="true">
              <span style={{ width: `${(value / most) * 100}%` }} />
            </span>
            <b class="amount">{value}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}
