import { readArguments } from './arguments';

const read = (line: string) => readArguments(line === '' ? [] : line.split(' '));

describe('the command line of the builder', () => {
  it('takes a query apart into what was named, and nothing else', () => {
    expect(
      read('add /shop/orders --name revenue --resource orders --template count --params {"where":[]} --compare --yes'),
    ).toEqual({
      ok: true,
      value: {
        command: {
          kind: 'add',
          pageRef: '/shop/orders',
          input: { name: 'revenue', resource: 'orders', template: 'count', compare: true, params: { where: [] } },
        },
        yes: true,
        dryRun: false,
      },
    });
    expect(read('configure /shop/orders@revenue --no-compare --project p --dry-run')).toEqual({
      ok: true,
      value: {
        command: { kind: 'configure', query: '/shop/orders@revenue', patch: { compare: false } },
        project: 'p',
        yes: false,
        dryRun: true,
      },
    });
  });

  it('reads the fields of a new resource', () => {
    expect(
      read('new-resource items --title Items --field status:select(open,done) --field tags:string[] --tenant-scoped'),
    ).toMatchObject({
      ok: true,
      value: {
        command: {
          kind: 'new-resource',
          name: 'items',
          tenantScoped: true,
          fields: [
            { name: 'status', type: 'select', options: ['open', 'done'] },
            { name: 'tags', type: 'string', multiple: true },
          ],
        },
      },
    });
  });

  it.each([
    ['dance', 'unknown command'],
    ['list /a /b', 'no further word'],
    ['add', 'takes a page'],
    ['remove', 'takes a query'],
    ['add /a --params {', 'no JSON'],
    ['add /a --colour red', 'colour'],
    ['new-resource a --field total:money', '--field total:money'],
    ['sample --rows 12', '--rows'],
    ['templates now', 'no further word'],
  ])('refuses %p and says why', (line, reason) => {
    expect(read(line)).toEqual({ ok: false, error: expect.stringContaining(reason) as string });
  });

  it('helps when nothing is said', () => {
    expect(read('')).toMatchObject({ ok: true, value: { command: { kind: 'help' } } });
  });
});
