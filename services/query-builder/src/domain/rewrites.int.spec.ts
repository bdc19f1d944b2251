import type { QueryStructure } from '@platform/builder';
import { changing, preserving, withAliases, type Rewrite } from '../testing/rewrites';
import {
  dataOf,
  modelPath,
  openScratchProject,
  pagePath,
  readSources,
  sampleFolder,
  type ScratchProject,
} from '../testing/scratch-project';

const sample = readSources(sampleFolder);
let scratch: ScratchProject;
let before: readonly QueryStructure[];

beforeAll(async () => {
  scratch = await openScratchProject();
  before = dataOf(await scratch.builder.getPageStructure('/shop/orders')).queries;
});
afterAll(() => scratch.remove());

async function rewritten({ what, path, apply }: Rewrite): Promise<readonly QueryStructure[]> {
  const text = apply(sample[path]!);
  expect({ what, applies: text !== undefined }).toEqual({ what, applies: true });
  scratch.write(path, withAliases(what, text!));
  const result = await scratch.builder.getPageStructure('/shop/orders');
  scratch.write(path, sample[path]!);
  return dataOf(result).queries;
}

/** The members that a rewrite changed; it changes every member that it applies to. */
function touched(apply: Rewrite['apply'], name: string, path: string): boolean {
  const member = (text: string): string =>
    new RegExp(
      path === pagePath ? `@Get\\([^)]*\\)\\s+async ${name}\\([\\s\\S]*?\\n  \\}` : `\\n  ${name}\\([\\s\\S]*?\\n  \\}`,
    ).exec(text)?.[0] ?? '';
  const own = member(sample[path]!);
  const alone = sample[path]!.replace(own, '');
  return (
    own !== '' &&
    apply(sample[path]!) !== undefined &&
    (apply(alone)?.length ?? alone.length) - alone.length !== apply(sample[path]!)!.length - sample[path]!.length
  );
}

describe('a query that people rewrote without changing its meaning', () => {
  it('stays editable, with the same parameters, in at least 95 of 100 cases', async () => {
    const lost: string[] = [];
    let cases = 0;
    for (const rewrite of preserving.filter(({ apply, path }) => apply(sample[path]!) !== undefined)) {
      const after = await rewritten(rewrite);
      for (const [index, { name, template, params }] of before.entries()) {
        cases += 1;
        const now = after[index];
        if (now?.opaque) lost.push(`${rewrite.what}: ${name}: ${now.opaqueDetail}`);
        else
          expect({ rewrite: rewrite.what, name: now?.name, template: now?.template, params: now?.params }).toEqual({
            rewrite: rewrite.what,
            name,
            template,
            params,
          });
      }
    }
    expect(cases).toBeGreaterThanOrEqual(200);
    expect(lost).toEqual(lost.slice(0, Math.floor(cases * 0.05)));
  });

  it('can be configured, and keeps the comments inside its chain', async () => {
    const commented = sample[modelPath]!.replace(
      ".measure('sum', 'total')",
      "// net of tax\n      .measure('sum', 'total') // in euros",
    ).replace("'paid')", "'paid' /* or settled */)");
    scratch.write(modelPath, commented);
    const { params } = before.find(({ name }) => name === 'monthlyRevenue')!;
    const daily = commented.replace("bucket: 'month'", "bucket: 'day'");
    dataOf(
      await scratch.builder.configureQuery('/shop/orders@monthlyRevenue', { params: { ...params, bucket: 'day' } }),
    );
    expect(scratch.read(modelPath)).toBe(daily);
    expect(scratch.read(pagePath)).toBe(sample[pagePath]);
    // A card names the values that it adds up, so here the route changes too, and the method gets another name.
    dataOf(
      await scratch.builder.configureQuery('/shop/orders@monthlyRevenue', {
        params: { ...params, bucket: 'day', op: 'avg' },
      }),
    );
    expect(scratch.read(modelPath)).toBe(
      daily
        .replace("measure('sum', 'total') //", "measure('avg', 'total') //")
        .replace('monthlyRevenue(', 'monthlyRevenue2('),
    );
    expect(scratch.read(pagePath)).toBe(
      sample[pagePath]!.replaceAll('model.monthlyRevenue(', 'model.monthlyRevenue2(').replace(
        "response: 'card', measure: 'sum'",
        "response: 'card', measure: 'avg'",
      ),
    );
    scratch.write(modelPath, sample[modelPath]!);
    scratch.write(pagePath, sample[pagePath]!);
  });
});

describe('a chain over several variables', () => {
  const params = { op: 'sum', field: 'total', groupBy: 'createdAt', timezone: 'Europe/Paris' };
  const [paid, from, to] = [
    { field: 'status', op: 'eq', value: 'paid' },
    { field: 'createdAt', op: 'ge', value: { $param: { name: 'from', in: 'query' } } },
    { field: 'createdAt', op: 'lt', value: { $param: { name: 'to', in: 'query' } } },
  ] as const;
  const body = `
    // all that count
    const settled = this.rows().where('status', 'eq', 'paid' /* or settled */); // no drafts
    /* the period */
    const period = settled
      .where('createdAt', 'ge', minCreatedAt) // from its first day
      .where('createdAt', 'lt', belowCreatedAt);
    // by month
    const months = period.groupBy('createdAt', { bucket: 'month', timezone: 'Europe/Paris' });
    return months
      // net of tax
      .measure('sum', 'total') // in euros
      .orderBy('group', 'asc');
`;
  const spread = sample[modelPath]!.replace(
    /(monthlyRevenue\(.*\) \{)[\s\S]*?;\n/,
    (_all, head: string) => `${head}${body}`,
  );
  const after = async (patch: object): Promise<string> => {
    scratch.write(modelPath, spread);
    scratch.write(pagePath, sample[pagePath]!);
    dataOf(await scratch.builder.configureQuery('/shop/orders@monthlyRevenue', { params: { ...params, ...patch } }));
    const text = scratch.read(modelPath);
    scratch.write(modelPath, sample[modelPath]!);
    scratch.write(pagePath, sample[pagePath]!);
    return text;
  };
  const comments = (text: string): string[] => (text.match(/\/\/.*|\/\*.*?\*\//g) ?? []).sort();

  it('stays as it was written when a step changes beside a variable', async () => {
    const where = [paid, from, to];
    expect(await after({ bucket: 'day', where })).toBe(spread.replace("bucket: 'month'", "bucket: 'day'"));
    expect(await after({ bucket: 'month', where: [paid, from, { ...to, op: 'le' }] })).toBe(
      spread.replace("'lt', below", "'le', below").replaceAll('belowCreatedAt', 'maxCreatedAt'),
    );
    expect(await after({ bucket: 'month', where: [paid, { field: 'gift', op: 'eq', value: true }, from, to] })).toBe(
      spread.replace('/* or settled */)', "/* or settled */)\n      .where('gift', 'eq', true)"),
    );
  });

  it.each([
    ['the step of a comment goes', { bucket: 'month', where: [from, to] }],
    ['all of its filters go', { bucket: 'month', where: [] }],
    [
      'its order changes',
      { bucket: 'month', where: [to, paid, from], orderBy: 'measure', direction: 'desc', limit: 3 },
    ],
    ['all of it changes', { op: 'avg', bucket: 'year', where: [to, from], orderBy: 'measure', direction: 'desc' }],
  ])('keeps every comment, and reads back, when %s', async (_what, patch) => {
    const text = await after(patch);
    expect(text).not.toBe(spread);
    expect(comments(text)).toEqual(comments(spread));
  });
});

describe('a query that people changed beyond its grammar', () => {
  it('is opaque with the right reason and place, and says no parameters', async () => {
    let cases = 0;
    for (const rewrite of changing) {
      const after = await rewritten(rewrite);
      for (const { name } of before.filter((query) => touched(rewrite.apply, query.name, rewrite.path))) {
        cases += 1;
        const now = after.find((query) => query.name === name);
        expect({
          what: rewrite.what,
          name,
          opaque: now?.opaque,
          reason: now?.opaqueReason,
          params: now?.params,
          template: now?.template,
        }).toEqual({
          what: rewrite.what,
          name,
          opaque: true,
          reason: rewrite.reason,
          params: undefined,
          template: undefined,
        });
        expect(now?.opaqueAt?.line).toBeGreaterThan(0);
        expect(now?.endpoint).toBe(before.find((query) => query.name === name)!.endpoint);
      }
    }
    expect(cases).toBeGreaterThanOrEqual(200);
  });
});

describe('a variable in a chain', () => {
  const chain = "const chain = this.rows().where('status', 'eq', wanted);";
  const withBody = (top: string, body: string): string =>
    sample[modelPath]!.replace(/ {2}openOrders\(\) \{[\s\S]*?\n {2}\}/, `  openOrders() {\n    ${body}\n  }`).replace(
      'export class',
      `${top}\nexport class`,
    );

  it.each([
    ['that has its value later', '', `${chain} var wanted = 'paid'; return chain.count();`],
    ['that has another value before', '', `var wanted = 'open'; ${chain} var wanted = 'paid'; return chain.count();`],
    ['that is only declared', "declare const wanted = 'paid';", `${chain} return chain.count();`],
    ['that has its value from itself', '', `const wanted = wanted; ${chain} return chain.count();`],
  ])('makes it opaque: one %s', async (_what, top, body) => {
    scratch.write(modelPath, withBody(top, body));
    const { queries } = dataOf(await scratch.builder.getPageStructure('/shop/orders'));
    scratch.write(modelPath, sample[modelPath]!);
    expect(queries.find(({ name }) => name === 'openOrders')).toMatchObject({
      opaque: true,
      opaqueReason: 'unparseable_chain',
    });
  });
});
