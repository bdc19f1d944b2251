/**
 * Compares the README's table of support with its sources: it is generated from the code's own tables, the vectors and
 * the refusals below.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Long } from 'mongodb';
import { supportedFeatures } from '@platform/embedded-mongo';
import { exceptions, exceptionFor } from './out-of-scope';
import { refusals } from './refusals';
import { openTarget } from './support/targets';
import type { Target } from './support/targets';

const readmePath = join(__dirname, '..', '..', '..', 'libs', 'embedded-mongo', 'README.md');
const [BEGIN, END] = ['<!-- support table begins -->', '<!-- support table ends -->'];

function vectorRows(): string[] {
  const totals = [0, 0, 0];
  const rows = readdirSync(join(__dirname, 'vectors'))
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => {
      const ids = readFileSync(join(__dirname, 'vectors', name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { id: string }).id);
      const outside = ids.filter((id) => exceptionFor(id)).length;
      [ids.length, ids.length - outside, outside].forEach(
        (count, index) => (totals[index] = (totals[index] as number) + count),
      );
      return `| ${name.replace('.jsonl', '')} | ${ids.length} | ${ids.length - outside} | ${outside} |`;
    });
  return [
    '| Golden vectors | Cases | In scope, answered as recorded | Outside |',
    '|---|---|---|---|',
    ...rows,
    `| **total** | ${totals.join(' | ')} |`,
  ];
}

function exceptionRows(): string[] {
  const outcome = (exception: (typeof exceptions)[number]): string =>
    exception.outcome === 'calendar' ? "the calendar's answer" : `refused with ${exception.outcome.refusedWith}`;
  return [
    '| Outside the scope | Outcome | Why |',
    '|---|---|---|',
    ...exceptions.map(
      (exception) =>
        `| \`${exception.cases.source.replaceAll('\\/', '/').replace(/[\^$]/g, '')}\` | ${outcome(exception)} | ${exception.reason} |`,
    ),
  ];
}

function supportTable(): string {
  const features = supportedFeatures();
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' ');
  return [
    ...vectorRows(),
    '',
    ...exceptionRows(),
    '',
    '| Offered | |',
    '|---|---|',
    `| Commands | ${code(features.commands)} |`,
    `| Filters | ${code(features.filters)} |`,
    `| Updates | ${code(features.updates)}, positional \`$\`, \`$[]\`, \`$[name]\`, replacements, pipelines |`,
    `| Stages | ${code(features.stages)} |`,
    `| Accumulators | ${code(features.accumulators)} |`,
    `| Expressions | ${code(features.expressions)} |`,
    '| Indexes | ascending, descending, compound, multikey, unique, sparse, partial, TTL, hidden |',
    '',
    '| Refused | Code |',
    '|---|---|',
    ...refusals.map(({ feature, code: number }) => `| ${feature} | ${number} |`),
  ].join('\n');
}

describe('the table of support in the README', () => {
  it('is what the code offers', () => {
    const readme = readFileSync(readmePath, 'utf8');
    const [before, rest] = readme.split(BEGIN) as [string, string];
    const after = rest.split(END)[1] as string;
    const wanted = `${before}${BEGIN}\n${supportTable()}\n${END}${after}`;
    if (process.env['WRITE_SUPPORT_TABLE'] === '1') writeFileSync(readmePath, wanted);
    expect(readFileSync(readmePath, 'utf8')).toBe(wanted);
  });
});

describe('the refusals', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget('embedded');
    await target.client.db('refusals').collection('c').insertOne({ a: 'x' });
  });
  afterAll(() => target.close());

  it.each(refusals.map((refusal) => [refusal.feature, refusal] as const))(
    'refuse %s with the stated code',
    async (_feature, refusal) => {
      const command =
        'txnNumber' in refusal.command ? { ...refusal.command, txnNumber: Long.fromNumber(1) } : refusal.command;
      const outcome = await target.client
        .db('refusals')
        .command(command)
        .catch((error: unknown) => error as { code?: number });
      const code =
        (outcome as { code?: number }).code ?? (outcome as { writeErrors?: { code: number }[] }).writeErrors?.[0]?.code;
      expect(code).toBe(refusal.code);
    },
  );
});
