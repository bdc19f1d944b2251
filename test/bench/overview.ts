/**
 * The overview of docs/benchmarks.md: each goal beside the value in its bench's table, and the measured commit. It is
 * read from docs/benchmarks-tables.md, so the two cannot disagree; a bench that has not run is reported as missing.
 */
import { markdownTable } from './report';

interface Goal {
  readonly bench: string;
  readonly what: string;
  readonly goal: string;
  /** A column of the bench's table; the worst row counts, or the first one where it sums up the others. */
  readonly column: string;
  readonly worst: 'least' | 'most' | 'first';
  readonly met: (value: number) => boolean;
  /** Selects the rows of the goal by their cells; default all. */
  readonly of?: (cells: readonly string[]) => boolean;
}

const scalars = ['count', 'average'];

const goals: readonly Goal[] = [
  {
    bench: 'operations',
    what: "throughput of credits against the floor's",
    goal: '≥ 0.85',
    column: 'ratio',
    worst: 'least',
    met: (value) => value >= 0.85,
  },
  {
    bench: 'operations',
    what: "p99 of credits against the floor's",
    goal: '≤ 1.30',
    column: 'p99 ratio',
    worst: 'most',
    met: (value) => value <= 1.3,
  },
  {
    bench: 'webhooks',
    what: "throughput of signed events against the floor's",
    goal: '≥ 0.80',
    column: 'ratio',
    worst: 'least',
    met: (value) => value >= 0.8,
  },
  {
    bench: 'lifecycle',
    what: "throughput of transitions against the floor's",
    goal: '≥ 0.80',
    column: 'ratio',
    worst: 'least',
    met: (value) => value >= 0.8,
  },
  {
    bench: 'lifecycle',
    what: 'runs of consumers per message',
    goal: '≤ 1.02',
    column: 'runs per message',
    worst: 'most',
    met: (value) => value <= 1.02,
  },
  {
    bench: 'migration',
    what: 'cost per item, end of the list against its beginning',
    goal: '0.90 to 1.10',
    column: 'ratio',
    worst: 'most',
    met: (value) => value >= 0.9 && value <= 1.1,
  },
  {
    bench: 'builder',
    what: 'AddQuery beside 1,000 pages against one page',
    goal: '≤ 1.30',
    column: 'to 1 page',
    worst: 'most',
    of: ([edit, project]) => edit === 'AddQuery' && project === '1,000 pages',
    met: (value) => value <= 1.3,
  },
  {
    bench: 'builder',
    what: 'p50 of an edit beside up to 1,000 pages, ms',
    goal: '≤ 25',
    column: 'p50 ms',
    worst: 'most',
    of: ([, project]) => !project?.includes('methods'),
    met: (value) => value <= 25,
  },
  {
    bench: 'builder',
    what: 'p50 of an edit of a model with 1,000 methods, ms',
    goal: '≤ 60',
    column: 'p50 ms',
    worst: 'most',
    of: ([, project]) => project?.includes('methods') === true,
    met: (value) => value <= 60,
  },
  {
    bench: 'pages',
    what: "time of a route against the driver's, 1,000,000 rows",
    goal: '≤ 1.05',
    column: 'ratio',
    worst: 'most',
    of: ([, count]) => count === '1,000,000',
    met: (value) => value <= 1.05,
  },
  {
    bench: 'pages',
    what: 'what a route adds to a scalar of no rows, ms',
    goal: '≤ 0.30',
    column: 'extra ms',
    worst: 'most',
    of: ([question, count]) => count === '0' && scalars.includes(question ?? ''),
    met: (value) => value <= 0.3,
  },
  ...['1', '32', '128', '512'].map((load): Goal => ({
    bench: 'peers',
    what: `steps per second, ours against the faster peer, ${load} in flight`,
    goal: '> 1.00',
    column: 'ours : theirs',
    worst: 'least',
    of: ([who, inFlight]) => who !== 'this platform' && inFlight === load,
    met: (value) => value > 1,
  })),
  {
    bench: 'start',
    what: 'npm start on an empty folder to ready, s',
    goal: '≤ 6',
    column: 'ready s',
    worst: 'first',
    met: (value) => value <= 6,
  },
  {
    bench: 'start',
    what: 'npm start again to ready, s',
    goal: '≤ 3',
    column: 'again s',
    worst: 'first',
    met: (value) => value <= 3,
  },
  {
    bench: 'start',
    what: 'memory of everything, shared pages once (PSS), MB',
    goal: '≤ 350',
    column: 'PSS MB',
    worst: 'first',
    met: (value) => value <= 350,
  },
];

type Table = readonly (readonly string[])[];

/** The text between the markers of a bench; empty when it has not been written. */
const sectionOf = (document: string, bench: string): string =>
  new RegExp(`<!-- bench ${bench} -->\\n([\\s\\S]*?)<!-- end ${bench} -->`).exec(document)?.[1] ?? '';

/** The first table of a bench's section, header first. */
function tableOf(document: string, bench: string): Table {
  const lines = sectionOf(document, bench)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[-:|]+\|$/.test(line));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function measured([head = [], ...rows]: Table, { column, worst, of = () => true }: Goal): number | undefined {
  const at = head.indexOf(column);
  const values = rows
    .filter(of)
    .map((row) => Number.parseFloat(row[at] ?? ''))
    .filter((value) => !Number.isNaN(value));
  if (at < 0 || values.length === 0) return undefined;
  return worst === 'first' ? values[0] : worst === 'least' ? Math.min(...values) : Math.max(...values);
}

/** The commit that a section measures. */
const commitOf = (document: string, bench: string): string =>
  /^Measured at (\S+)/m.exec(sectionOf(document, bench))?.[1] ?? 'unknown';

/** The overview's table from the document with the sections of all benches. */
export function overviewOf(document: string): string {
  const rows = goals.map((goal) => {
    const value = measured(tableOf(document, goal.bench), goal);
    return [
      goal.bench,
      goal.what,
      goal.goal,
      value === undefined ? 'not measured' : String(value),
      value === undefined ? '–' : goal.met(value) ? 'yes' : 'no',
      commitOf(document, goal.bench),
    ];
  });
  return markdownTable({
    title: '',
    head: ['bench', 'what', 'goal', 'worst row', 'met', 'at commit'],
    rows,
    notes: [],
  });
}

/** The document with its overview generated again from the tables. */
export function withOverview(document: string, tables: string): string {
  return document.replace(
    /(<!-- bench overview -->\n)[\s\S]*?(\n<!-- end overview -->)/,
    (_all, open: string, close: string) => `${open}${overviewOf(tables)}${close}`,
  );
}
