/** The output of the command line for programs, and for people who read figures. */
import { openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';
import type { Invocation } from './arguments';
import { runCommand, type ProjectCommand, type Terminal } from './run-command';
import { runPreview } from './run-preview';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

const invocation = (command: ProjectCommand, dryRun = false): Invocation & { command: ProjectCommand } => ({
  command,
  yes: true,
  dryRun,
  json: true,
});
const asked: Terminal['ask'] = () => Promise.reject(new Error('a program was asked'));
const recorder = () => {
  const lines: string[] = [];
  const terminal: Terminal = {
    print: (text) => void lines.push(text),
    complain: (text) => void lines.push(text),
    ask: asked,
  };
  return { terminal, lines, document: () => JSON.parse(lines.join('\n')) as Record<string, unknown> };
};
const input = { name: 'gifts', resource: 'orders', template: 'count' };

describe('the command line for programs', () => {
  it.each<[string, ProjectCommand, number, object]>([
    ['a list', { kind: 'list' }, 0, { ok: true, data: { pages: expect.any(Array) } }],
    ['one query', { kind: 'show', query: '/shop/orders@openOrders' }, 0, { data: { template: 'count' } }],
    ['a query that is not there', { kind: 'show', query: '/shop/orders@none' }, 1, { error: { code: 'not_found' } }],
    ['templates', { kind: 'templates' }, 0, { ok: true }],
    ['an edit', { kind: 'add', pageRef: '/shop/orders', input }, 0, { data: { query: '/shop/orders@gifts' } }],
    [
      'a refused edit',
      { kind: 'add', pageRef: '/shop/orders', input: { ...input, template: 'none' } },
      1,
      { ok: false, error: { code: 'invalid_config' } },
    ],
  ])('prints one document and asks nothing: %s', async (_name, command, code, document) => {
    const { terminal, document: printed } = recorder();
    expect(await runCommand(scratch.ports, invocation(command), terminal)).toBe(code);
    expect(printed()).toMatchObject(document);
  });

  it('writes nothing in a dry run, and says so', async () => {
    const before = scratch.read(pagePath);
    const { terminal, document } = recorder();
    await runCommand(scratch.ports, invocation({ kind: 'add', pageRef: '/shop/orders', input }, true), terminal);
    expect(document()).toMatchObject({ data: { written: false, changes: [{}, { path: pagePath }] } });
    expect(scratch.read(pagePath)).toBe(before);
  });
});

describe('a preview on the command line', () => {
  const reads = {
    aggregate: () => Promise.resolve([{ y: 7 }]),
    explain: () => Promise.resolve({}),
    indexes: () => Promise.resolve([]),
  };
  const command = { kind: 'preview', query: '/shop/orders@openOrders', args: {}, tenant: 'acme' } as const;

  it('prints figures and the index for people, and the whole answer for programs', async () => {
    const people = recorder();
    expect(await runPreview(scratch.ports, reads, command, { json: false, terminal: people.terminal })).toBe(0);
    expect(people.lines).toEqual(['value: 7', 'index on tenantId, status: missing (npm run builder -- indexes)']);
    const program = recorder();
    await runPreview(scratch.ports, reads, command, { json: true, terminal: program.terminal });
    expect(program.document()).toMatchObject({ ok: true, data: { body: { value: 7 }, pipeline: expect.any(Array) } });
  });

  const linesOf = async (query: string, args: object, answers: object[][]) => {
    const { terminal, lines } = recorder();
    const waiting = [...answers];
    const aggregate = () => Promise.resolve((waiting.shift() ?? []) as never);
    const asked = { ...command, query, args: { ...args } };
    expect(await runPreview(scratch.ports, { ...reads, aggregate }, asked, { json: false, terminal })).toBe(0);
    return lines.slice(0, -1);
  };

  it('keeps the period before apart, and states the rows that no figure holds', async () => {
    const args = { from: '2026-03-01', to: '2026-04-01', compareFrom: '2026-02-01', compareTo: '2026-03-01' };
    const dateless = { _id: null, dateless: true, y: null, rows: 2 };
    const answers = [[dateless, { _id: 202603, y: 5 }], [{ _id: 202602, y: 4 }]];
    expect(await linesOf('/shop/orders@monthlyRevenue', args, answers)).toEqual([
      'value: 5',
      'previousValue: 4',
      'delta: 0.25',
      'series:',
      '202603  5',
      'comparisonSeries:',
      '202602  4',
      'Rows left out: 2 without a date',
    ]);
  });

  it('shows a group whose name has a line end in one line', async () => {
    const groups = [{ _id: 'a\nvalue: 9', y: 5 }];
    expect(await linesOf('/shop/orders@topCategories', {}, [groups])).toEqual(['a value: 9  5']);
  });

  it('says how many of how many points it shows, and does not call the newest ones the first', async () => {
    const days = Array.from({ length: 501 }, (_unused, at) => ({ _id: 20250000 + at, y: 1 }));
    const lines = await linesOf('/shop/orders@dailyOrders', { from: '2020-01-01' }, [days, [{ groups: 730 }]]);
    expect([lines.length, lines.at(-1)]).toEqual([501, '500 of 730 points are shown']);
  });

  it('is refused without the workspace that its rows belong to', async () => {
    const { terminal, lines } = recorder();
    const { tenant: _tenant, ...without } = command;
    expect(await runPreview(scratch.ports, reads, without, { json: false, terminal })).toBe(1);
    expect(lines.join()).toContain('/tenant');
  });
});

describe('the command line for people', () => {
  it('writes nothing for a person whose output goes into a pipe, and says what to give', async () => {
    const { terminal, lines } = recorder();
    const before = scratch.read(pagePath);
    const remove = { kind: 'remove', query: '/shop/orders@openOrders' } as const;
    const piped = { ...terminal, ask: null };
    expect(await runCommand(scratch.ports, { ...invocation(remove), yes: false, json: false }, piped)).toBe(1);
    expect(lines.at(-1)).toMatch(/^Nothing was written: .* --yes writes this/);
    expect(scratch.read(pagePath)).toBe(before);
  });

  it('writes nothing else than it has shown, and says that another writer was faster', async () => {
    const { terminal, lines } = recorder();
    const ask = async (): Promise<boolean> =>
      (await scratch.builder.addQuery('/shop/orders', { ...input, name: 'other' })).ok;
    const command = { kind: 'add', pageRef: '/shop/orders', input } as const;
    const run = { ...invocation(command), yes: false, json: false };
    expect(await runCommand(scratch.ports, run, { ...terminal, ask })).toBe(1);
    expect(lines.at(-1)).toMatch(/^Nothing was written: .* changed .* again/);
    expect(await runCommand(scratch.ports, { ...run, yes: true }, terminal)).toBe(0);
  });

  it('says what a written query does not do', async () => {
    const { terminal, lines } = recorder();
    const command = { kind: 'add', pageRef: '/shop/orders', input: { ...input, compare: true } } as const;
    expect(await runCommand(scratch.ports, { ...invocation(command), json: false }, terminal)).toBe(0);
    expect(lines.at(-1)).toMatch(/^\/compare has no effect/);
  });
});
