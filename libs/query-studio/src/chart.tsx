/** A preview of the chart. It is loaded when it is first shown; the table beside it has the same content as text. */
import { colour } from '@platform/design-parts';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Point } from './points';

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Counts changes between light and dark, because a canvas does not follow them automatically. */
function useTheme(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const changed = () => setTurn((before) => before + 1);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(changed);
    dark.addEventListener('change', changed);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', changed);
      chosen.disconnect();
    };
  }, []);
  return turn;
}

function optionsFor(points: readonly Point[], timeline: boolean, compares: boolean, width: number): uPlot.Options {
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  const labels = (_plot: uPlot, splits: number[]) =>
    splits.map((at) => (Number.isInteger(at) ? (points[at]?.label.slice(0, 16) ?? '') : ''));
  const bars = !timeline || points.length < 3;
  const line = { stroke: colour('--accent'), width: 2, points: { show: points.length < 40 } };
  const drawnAsBars = { paths: uPlot.paths.bars!({ size: [0.7, 56] }) };
  return {
    width,
    height: 260,
    legend: { show: false },
    padding: [12, 32, 0, 0],
    cursor: { y: false, drag: { setScale: false } },
    scales: {
      x: { time: false, range: (_plot, low, high) => (bars ? [low - 0.6, high + 0.6] : [low, high]) },
      y: { range: (_plot, low, high) => [Math.min(0, low ?? 0), Math.max(1, (high ?? 0) * 1.06)] },
    },
    axes: [
      { ...axis, values: labels, incrs: [1, 2, 3, 4, 6, 12, 30, 60, 90, 180, 365], space: 80, size: 34 },
      { ...axis, size: 56, values: (_plot, splits) => splits.map((at) => compact.format(at)) },
    ],
    series: [
      {},
      { ...line, ...(bars ? { fill: colour('--accent'), points: { show: false }, ...drawnAsBars } : {}) },
      // An incomplete period is drawn differently: a pale bar, or a dashed end of a line.
      {
        ...line,
        dash: [3, 4],
        points: { show: false },
        ...(bars ? { fill: colour('--accent-soft'), ...drawnAsBars } : {}),
      },
      ...(compares ? [{ stroke: colour('--warn'), width: 2, dash: [6, 4], points: { show: false } }] : []),
    ],
  };
}

interface ChartProps {
  readonly points: readonly Point[];
  /** The previous period is under it, by position. */
  readonly before: readonly Point[] | undefined;
  readonly timeline: boolean;
  readonly title: string;
}

/** An incomplete period, and for a line also the point before it, from which its dashes begin. */
const isPart = (points: readonly Point[], at: number): boolean =>
  points[at]!.part === true || (points.length >= 3 && (points[at - 1]?.part === true || points[at + 1]?.part === true));

export function Chart({ points, before, timeline, title }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const host = place.current!;
    const plot = new uPlot(
      optionsFor(points, timeline, before !== undefined, Math.max(220, host.clientWidth)),
      [
        points.map((_point, at) => at),
        points.map(({ value, part }) => (part ? null : value)),
        points.map(({ value }, at) => (isPart(points, at) ? value : null)),
        ...(before ? [points.map((_point, at) => before[at]?.value ?? null)] : []),
      ],
      host,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: Math.max(220, host.clientWidth), height: 260 }));
    resized.observe(host);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [points, before, timeline, theme]);
  return <div ref={place} class="chart" role="img" aria-label={`${title}: ${points.length} points`} />;
}
