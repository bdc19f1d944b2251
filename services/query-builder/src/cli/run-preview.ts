/** `builder preview`: the current answer of a query, as figures for people or as the whole answer for programs. */
import type { BuilderResult, QueryPreview } from '@platform/builder';
import { columns } from '@platform/command-line';
import { cutWords, leftOutWords } from '@platform/page-runtime/chart';
import type { BuilderPorts } from '../workflows/ports';
import { previewQuery, type PreviewReads } from '../workflows/preview-query';
import type { BuilderCommand } from './arguments';
import { printRefusal, show, type Terminal } from './run-command';

type PreviewCommand = Extract<BuilderCommand, { kind: 'preview' }>;

/** Returns the exit code. Nothing is written. */
export async function runPreview(
  ports: BuilderPorts,
  reads: PreviewReads,
  { query, args, tenant }: PreviewCommand,
  { json, terminal }: { readonly json: boolean; readonly terminal: Terminal },
): Promise<number> {
  const result: BuilderResult<QueryPreview> = await previewQuery(ports, reads, {
    query,
    args,
    ...(tenant !== undefined && { tenant }),
  });
  if (json) return show(terminal, result, true);
  if (!result.ok) return printRefusal(terminal, result.error);
  for (const line of linesOf(result.data)) terminal.print(line);
  return 0;
}

interface Point {
  readonly x: unknown;
  readonly y: number | null;
  readonly label?: string;
}

function linesOf({ body, truncated, index }: QueryPreview): string[] {
  const figures = Object.entries(body).filter(([, value]) => value === null || typeof value === 'number');
  const lists = Object.entries(body).filter((entry): entry is [string, readonly Point[]] => Array.isArray(entry[1]));
  const leftOut = leftOutWords(body['leftOut']);
  return [
    ...figures.map(([name, value]) => `${name}: ${value ?? 'no value'}`),
    ...lists.flatMap(([name, points]) => [...(lists.length > 1 ? [`${name}:`] : []), ...linesOfPoints(points)]),
    ...(truncated ? [cutWords(body['truncated'])] : []),
    ...(leftOut === undefined ? [] : [leftOut]),
    index
      ? `index on ${index.fields.join(', ')}: ${index.exists ? 'exists' : 'missing (npm run builder -- indexes)'}`
      : 'no index can serve this query',
  ];
}

function linesOfPoints(points: readonly Point[]): string[] {
  if (points.length === 0) return [];
  return columns(points.map((point) => [nameOf(point), String(point.y ?? 'no value')])).split('\n');
}

const nameOf = ({ x, label }: Point): string => label ?? String(x ?? '(none)');
