/**
 * Changes that people make to generated code: rewrites that keep its meaning, and changes that do not. Each is a
 * function from text to text.
 */
import { modelPath, pagePath } from './scratch-project';

export interface Rewrite {
  readonly what: string;
  readonly path: typeof pagePath | typeof modelPath;
  /** Undefined where the rewrite does not apply. */
  apply(text: string): string | undefined;
}

const swap = (what: string, path: Rewrite['path'], pattern: RegExp, replacement: string): Rewrite => ({
  what,
  path,
  apply(text) {
    const after = text.replace(pattern, replacement);
    return after === text ? undefined : after;
  },
});

const page = pagePath;
const model = modelPath;

/** Rewrites that keep a query's meaning. */
export const preserving: readonly Rewrite[] = [
  swap('double quotes on the page', page, /'/g, '"'),
  swap('double quotes in the model', model, /'/g, '"'),
  swap('templates for texts in the model', model, /\.where\('(\w+)', 'eq', '(\w+)'\)/g, '.where(`$1`, `eq`, `$2`)'),
  swap('no semicolons on the page', page, /;$/gm, ''),
  swap('no semicolons in the model', model, /(\)|');$/gm, '$1'),
  swap('CRLF on the page', page, /\n/g, '\r\n'),
  swap('CRLF in the model', model, /\n/g, '\r\n'),
  swap('tabs on the page', page, / {2}/g, '\t'),
  swap('tabs in the model', model, / {2}/g, '\t'),
  swap('a chain on one line', model, /\n {6}\./g, '.'),
  swap('links at the end of lines', model, /\n {6}\.(\w+)/g, '.\n      $1'),
  swap('comments inside chains', model, /\n {6}\./g, '\n      // because\n      .'),
  swap('comments after links', model, /\)\n/g, ') /* so */\n'),
  swap('documented methods', model, /\n {2}(\w+)\(/g, '\n  /** What it counts. */\n  $1('),
  swap('documented routes', page, /\n {2}@Get/g, '\n  /** Who asks. */\n  @Get'),
  swap('parentheses around the chain', model, /return (this\.rows\(\)[\s\S]*?);\n/g, 'return ($1);\n'),
  swap('parentheses around rows', model, /this\.rows\(\)/g, '(this.rows())'),
  swap('parentheses around the answer', page, /return (\{ \w+: await [^;]*\});/g, 'return ($1);'),
  swap('parentheses around the awaited call', page, /await (model\.\w+\([^{}]*?\)) \}/g, 'await ($1) }'),
  swap('parentheses around arguments', page, /asDate\((\w+)\)/g, 'asDate((($1)))'),
  swap('renamed parameters of routes', page, /(@Query\('(\w+)'\)) \2/g, '$1 $2'),
  swap('the model parameter renamed', page, /\bmodel\b(?=: |\.)/g, 'orders'),
  swap('the user parameter renamed', page, /_user/g, '_caller'),
  swap('a bound parameter renamed', page, /\bfrom: string|asDate\(from\)/g, '$&'),
  swap('parameters of models renamed', model, /minCreatedAt/g, 'since'),
  swap('parameters of models without types', model, /\((\w+): (?:Date|string)\)/g, '($1)'),
  swap('casts in models', model, /'paid'/g, "'paid' as const"),
  swap('satisfies in models', model, /'paid'/g, "('paid' satisfies string)"),
  swap('assertions that are not null', page, /asDate\((\w+)\)/g, 'asDate($1!)'),
  swap('casts of the answer', page, /return (\{ value: await [^;]*\});/g, 'return $1 as { value: number | null };'),
  swap(
    'return types of routes',
    page,
    /\) \{\n {4}return \{ value/g,
    '): Promise<{ value: number | null }> {\n    return { value',
  ),
  swap('public routes', page, / {2}async /g, '  public async '),
  swap('public methods', model, /\n {2}(\w+)\((.*)\) \{/g, '\n  public $1($2) {'),
  swap('async methods', model, /\n {2}(\w+)\((.*)\) \{/g, '\n  async $1($2) {'),
  swap('methods that await', model, /\n {2}(\w+)\((.*)\) \{\n {4}return /g, '\n  async $1($2) {\n    return await '),
  swap(
    'properties with arrows',
    model,
    /\n {2}(\w+)\((.*)\) \{\n {4}return (this[\s\S]*?);\n {2}\}/g,
    '\n  $1 = ($2) => {\n    return $3;\n  };',
  ),
  swap(
    'properties with arrows without a body',
    model,
    /\n {2}(\w+)\((.*)\) \{\n {4}return (this[\s\S]*?);\n {2}\}/g,
    '\n  readonly $1 = ($2) =>\n    $3;',
  ),
  swap(
    'the answer in a constant',
    page,
    /return \{ (value|series): (await [^;]*) \};/g,
    'const $1 = $2;\n    return { $1 };',
  ),
  swap(
    'the answer in a constant of another name',
    page,
    /return \{ (value|series): (await [^;]*) \};/g,
    'const answer = $2;\n    return { $1: answer };',
  ),
  swap(
    'the answer in a let',
    page,
    /return \{ (value|series): (await [^;]*) \};/g,
    'let answer = $2;\n    return { $1: answer };',
  ),
  swap(
    'the arranged value in a constant',
    page,
    /return arrange\((await model\.\w+\([^;]*?\)), \{ response/g,
    'const computed = $1;\n    return arrange(computed, { response',
  ),
  swap(
    'the whole object in a constant',
    page,
    /return (\{ (?:value|series): await [^;]*\});/g,
    'const body = $1;\n    return body;',
  ),
  swap('rows in a constant', model, /return this\.rows\(\)/g, 'const rows = this.rows();\n    return rows'),
  swap(
    'a filter value in a constant',
    model,
    /return this\.rows\(\)\n( {6})\.where\('status', 'eq', '(\w+)'\)/g,
    "const wanted = '$2';\n    return this.rows()\n$1.where('status', 'eq', wanted)",
  ),
  swap(
    'a constant of the file',
    model,
    /export class([\s\S]*?)'paid'([\s\S]*)/,
    "const settled = 'paid';\n\nexport class$1settled$2",
  ),
  swap(
    'a constant for the endpoint',
    page,
    /@Page([\s\S]*?)@Get\('\/stats\/open-orders'\)/,
    "const openAt = '/stats/open-orders';\n\n@Page$1@Get(openAt)",
  ),
  swap('quoted keys', model, /bucket: /g, "'bucket': "),
  swap('keys in brackets', model, /bucket: /g, "['bucket']: "),
  swap(
    'another order of options',
    model,
    /\{ bucket: '(\w+)', timezone: '([^']+)' \}/g,
    "{ timezone: '$2', bucket: '$1' }",
  ),
  swap(
    'another order of the arrangement',
    page,
    /\{ response: '(\w+)', measure: '(\w+)' \}/g,
    "{ measure: '$2', response: '$1' }",
  ),
  swap(
    'options on lines with a last comma',
    model,
    /\{ bucket: '(\w+)', timezone: '([^']+)' \}/g,
    "{\n        bucket: '$1',\n        timezone: '$2',\n      }",
  ),
  swap('a last comma in arguments', model, /\.measure\('sum', 'total'\)/g, ".measure('sum', 'total',)"),
  swap('links in brackets', model, /\.measure\(/g, "['measure']("),
  swap('numbers spelt otherwise', model, /\.limit\(5\)/g, '.limit(5.0)'),
  swap('numbers in hexadecimal', model, /\.limit\(5\)/g, '.limit(0x5)'),
  swap('escapes in texts', model, /'paid'/g, "'\\x70aid'"),
  swap(
    'another order of parameters',
    page,
    /(@PagePermission\(OrdersPage\) _user: PageUser),\n {4}(@Model\(OrdersModel\) model: OrdersModel),/g,
    '$2,\n    $1,',
  ),
  swap('parameters on one line', page, /\(\n {4}(@[^\n]*),\n {4}(@[^\n]*),\n {2}\) \{/g, '($1, $2) {'),
  swap('no last comma in parameters', page, /,\n {2}\) \{/g, '\n  ) {'),
  swap('imports under other names', page, /\bGet\b/g, 'Route'),
  swap(
    'a namespace import in the model',
    model,
    /import \{ TableModel \} from '@platform\/page-runtime';([\s\S]*)extends TableModel/,
    "import * as runtime from '@platform/page-runtime';$1extends runtime.TableModel",
  ),
  swap('the model imported under another name', page, /\bOrdersModel\b/g, 'Orders'),
  swap('the page class renamed', page, /\bOrdersPage\b/g, 'ShopOrders'),
  swap('the model imported with an extension', page, /orders\/model'/g, "orders/model.js'"),
  swap('members in between', page, /\n {2}@Get/g, '\n  private counter = 0;\n\n  @Get'),
  swap(
    'methods in between',
    model,
    /\n {2}(\w+)\(\) \{\n {4}return this/g,
    '\n  #cache = new Map();\n\n  $1() {\n    return this',
  ),
  swap('blank lines everywhere', model, /\n/g, '\n\n'),
  swap('statements that are empty', model, /return this/g, ';\n    return this'),
  swap('quoted method names in models', model, /\n {2}openOrders\(/g, "\n  'openOrders'("),
];

/** The aliases that some rewrites need at the top of the file. */
export function withAliases(what: string, text: string): string {
  if (what === 'imports under other names') return text.replace(/\{ Route,/, '{ Get as Route,');
  if (what === 'the model imported under another name')
    return text.replace('import { Orders }', 'import { OrdersModel as Orders }');
  return text;
}

/** Changes that change a query's meaning, or may change it; each with the expected reason. */
export const changing: readonly (Rewrite & { readonly reason: 'unparseable_route' | 'unparseable_chain' })[] = [
  ...(
    [
      ['another guard', page, /@PagePermission\(OrdersPage\)/g, '@PagePermission(OtherPage)'],
      ['no guard', page, /@PagePermission\(OrdersPage\) _user: PageUser,\n/g, '\n'],
      ['a second decorator on the route', page, /\n {2}@Get/g, '\n  @Cached(60)\n  @Get'],
      ['a route without await', page, /: await model/g, ': model'],
      ['a value that is computed on', page, /(value|series): (await [^;]*?) \}/g, '$1: ($2 ?? 0) }'],
      ['a second property', page, /return \{ (value|series): /g, 'return { now: Date.now(), $1: '],
      ['a condition', page, /return /g, 'if (Math.random() > 0.5) return null;\n    return '],
      ['a log line', page, /return /g, "console.log('asked');\n    return "],
      ['an argument that is not read', page, /asDate\((\w+)\)/g, "asDate('2020-01-01')"],
      ['an argument with a default', page, /asDate\(from\)/g, "asDate(from ?? '2020-01-01')"],
      ['a header instead of the query string', page, /@Query\('from'\)/g, "@Header('from')"],
      ['a parameter with a default', page, /from: string,/g, "from: string = '2020-01-01',"],
      ['a coercion of its own', page, /asDate\(/g, 'new Date('],
      ['another answer property', page, /return \{ (value|series): /g, 'return { total: '],
      ['a try block', page, /return (\{ \w+: await [^;]*\});/g, 'try { return $1; } catch { return { value: 0 }; }'],
      ['a then', page, /\{ (value|series): await ([^;]*?) \}/g, '{ $1: await $2.then((x) => x) }'],
      ['a spread answer', page, /return \{ (value|series): (await [^;]*?) \}/g, 'return { ...{ $1: $2 } }'],
      ['a dynamic response', page, /response: '\w+'/g, 'response: kindOfAnswer'],
      ['an arrangement with more', page, /, measure: '(\w+)'/g, ", measure: '$1', extra: true"],
      ['a static route', page, / {2}async (?=\w)/g, '  static async '],
      ['a generator', page, / {2}async (?=\w)/g, '  async *'],
      ['a route that is not async', page, / {2}async (?=\w)/g, '  '],
      ['an optional call', page, /await model\./g, 'await model?.'],
      ['a negated answer', page, /(value|series): (await [^;]*?) \}/g, '$1: -(await $2) }'],
      ['two calls of the model', page, /(value|series): (await [^;]*?) \}/g, '$1: (await model.openOrders(), $2) }'],
    ] as const
  ).map(([what, path, pattern, replacement]) => ({
    ...swap(what, path, pattern, replacement),
    reason: 'unparseable_route' as const,
  })),
  ...(
    [
      ['a step that no template emits', model, /\.where\('status'/g, ".skip(1)\n      .where('status'"],
      ['another operator', model, /'eq'/g, "'like'"],
      ['a field that does not exist', model, /\.where\('status'/g, ".where('state'"],
      ['an opaque field', model, /\.where\('status'/g, ".where('tags'"],
      ['a value that is computed', model, /'paid'/g, "'pa' + suffix"],
      ['a value from outside', model, /'paid'/g, 'process.env.STATUS'],
      ['a call as a value', model, /'paid'/g, 'settled()'],
      ['another table', model, /this\.rows\(\)/g, 'this.archive.rows()'],
      ['rows with an argument', model, /this\.rows\(\)/g, 'this.rows(true)'],
      ['rows of something else', model, /this\.rows\(\)/g, 'other.rows()'],
      ['a chain that is thrown away', model, /return this\.rows/g, 'return void this.rows'],
      [
        'a condition around a filter',
        model,
        /return this\.rows\(\)/g,
        'if (this.closed) return null;\n    return this.rows()',
      ],
      ['a log line', model, /return this\.rows\(\)/g, "console.log('asked');\n    return this.rows()"],
      ['a spread argument', model, /\.where\('status', 'eq', /g, ".where(...['status', 'eq'], "],
      ['an option that no template has', model, /\{ bucket: /g, '{ week: true, bucket: '],
      ['a bucket that does not exist', model, /bucket: '\w+'/g, "bucket: 'week'"],
      ['a zone that does not exist', model, /Europe\/Paris/g, 'Europe/Atlantis'],
      ['a limit out of range', model, /\.limit\(5\)/g, '.limit(5000)'],
      ['a second limit', model, /\.limit\(5\)/g, '.limit(9)\n      .limit(5)'],
      ['an ordering that is gone', model, /\n {6}\.orderBy\([^)]*\)/g, ''],
      ['an ordering twice', model, /(\.orderBy\([^)]*\))/g, '$1\n      $1'],
      ['a measure of nothing', model, /\.measure\('sum', 'total'\)/g, ".measure('sum')"],
      ['a measure of a text', model, /\.measure\('sum', 'total'\)/g, ".measure('sum', 'note')"],
      [
        'an own rows()',
        model,
        /readonly resource = orders;/g,
        'readonly resource = orders;\n  protected override rows() { return super.rows().where(...this.scope); }',
      ],
      [
        'a constructor',
        model,
        /readonly resource = orders;/g,
        'readonly resource = orders;\n  constructor(access) { super(access); this.openOrders = other; }',
      ],
      ['another resource', model, /readonly resource = orders;/g, 'readonly resource = customers;'],
      ['a getter of the resource', model, /readonly resource = orders;/g, 'get resource() { return orders; }'],
      [
        'a decorated method',
        model,
        /\n {2}(\w+)\((.*)\) \{\n {4}return this/g,
        '\n  @Memo()\n  $1($2) {\n    return this',
      ],
      ['a decorated class', model, /export class/g, '@Traced\nexport class'],
      ['a static method', model, /\n {2}(\w+)\((.*)\) \{\n {4}return this/g, '\n  static $1($2) {\n    return this'],
      ['a getter', model, /\n {2}(\w+)\(\) \{\n {4}return this/g, '\n  get $1() {\n    return this'],
      ['a parameter with a default', model, /minCreatedAt: Date\)/g, "minCreatedAt = new Date('2020-01-01'))"],
      [
        'a parameter that is not passed',
        model,
        /\n {2}(\w+)\(\) \{\n {4}return this/g,
        '\n  $1(extra: string) {\n    return this',
      ],
      ['arithmetic on a number', model, /\.limit\(5\)/g, '.limit(5 * 2)'],
      [
        'a method declared twice',
        model,
        /\n {2}openOrders\(\) \{/g,
        '\n  openOrders() { return 1; }\n\n  openOrders() {',
      ],
    ] as const
  ).map(([what, path, pattern, replacement]) => ({
    ...swap(what, path, pattern, replacement),
    reason: 'unparseable_chain' as const,
  })),
];
