import { Misuse, readCommandLine } from '@platform/command-line';
import { invocationOf } from './arguments';
import command from './builder.command.cjs';

function read(text: string) {
  const line = readCommandLine(command, text === '' ? [] : text.split(' '));
  if (line.kind === 'refused') throw new Misuse(line.line);
  return line.kind === 'run' ? invocationOf(line) : line;
}

describe('the command line of the builder', () => {
  it('takes a query apart into what was named, and nothing else', () => {
    expect(
      read('add /shop/orders --name revenue --resource orders --template count --params {"where":[]} --compare --yes'),
    ).toEqual({
      command: {
        kind: 'add',
        pageRef: '/shop/orders',
        input: { name: 'revenue', resource: 'orders', template: 'count', compare: true, params: { where: [] } },
      },
      yes: true,
      dryRun: false,
      json: false,
    });
    expect(read('configure /shop/orders@revenue --no-compare --project p --dry-run')).toEqual({
      command: { kind: 'configure', query: '/shop/orders@revenue', patch: { compare: false } },
      project: 'p',
      yes: false,
      dryRun: true,
      json: false,
    });
  });

  it('reads the values of a preview, also those with an equals sign in them', () => {
    expect(read('preview /shop/orders@daily --arg from=2026-01-01 --arg note=a=b --tenant acme --json')).toMatchObject({
      command: {
        kind: 'preview',
        query: '/shop/orders@daily',
        args: { from: '2026-01-01', note: 'a=b' },
        tenant: 'acme',
      },
      json: true,
    });
    expect(() => read('preview /shop/orders@daily --arg from')).toThrow(Misuse);
  });

  it.each(['sample', 'import orders rows.csv', 'indexes'])(
    'refuses --json where no document is printed: %s',
    (words) => {
      expect(() => read(`${words} --json`)).toThrow(/does not take --json/);
    },
  );

  it('reads what to look at before a resource is proposed', () => {
    expect(read('introspect crm.invoices --resource invoices --tenant-field account.org --view')).toMatchObject({
      command: {
        kind: 'introspect',
        collection: 'crm.invoices',
        name: 'invoices',
        tenantField: 'account.org',
        view: true,
        documents: 1_000,
      },
    });
  });

  it('reads the fields of a new resource', () => {
    expect(
      read('new-resource items --title Items --field status:select(open,done) --field tags:string[] --tenant-scoped'),
    ).toMatchObject({
      command: {
        kind: 'new-resource',
        name: 'items',
        tenantScoped: true,
        fields: [
          { name: 'status', type: 'select', options: ['open', 'done'] },
          { name: 'tags', type: 'string', multiple: true },
        ],
      },
    });
  });

  it.each([
    ['dance', 'unknown command'],
    ['list /a /b', 'takes [page], not /b'],
    ['add', 'takes <page>'],
    ['remove', 'takes <page@query>'],
    ['add /a --params {', 'not JSON'],
    ['add /a --params {"where":[{"value":9007199254740993}]}', 'holds 9007199254740993'],
    ['add /a --compare --no-compare', '--compare and --no-compare exclude each other'],
    ['configure /a@b --no-compare --compare', '--compare and --no-compare exclude each other'],
    ['add /a --colour red', 'unknown option --colour'],
    ['remove /a@b --rows 2000', 'remove does not take --rows'],
    ['new-resource a --field total:money', 'not total:money'],
    ['sample --rows 12', '--rows is a whole number from 1000 to 10000000, not 12'],
    ['introspect $x', 'the name of a collection, not $x'],
    ['introspect a..b', 'the name of a collection, not a..b'],
    ['templates now', 'no further word'],
  ])('refuses %p and says why', (line, reason) => {
    expect(() => read(line)).toThrow(reason);
  });

  it('helps when nothing is said', () => {
    expect(read('')).toMatchObject({ kind: 'help' });
    expect(read('help')).toMatchObject({ kind: 'help' });
  });
});
