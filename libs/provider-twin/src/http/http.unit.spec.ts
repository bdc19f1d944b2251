/** How requests are parsed: forms, declared parameters, pages and path patterns. */
import fc from 'fast-check';
import { matchesPath } from '../faults';
import { ProviderError } from './errors';
import { canonicalForm, parseForm } from './form';
import { pageOf } from './pagination';
import {
  changedMetadata,
  flag,
  hash,
  integer,
  list,
  metadata,
  oneOf,
  readParams,
  required,
  text,
  timestamp,
  unsettable,
} from './params';

function refused(work: () => unknown): { code?: string | undefined; param?: string | undefined; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof ProviderError)
      return { code: error.body.code, param: error.body.param, message: error.body.message };
    throw error;
  }
  throw new Error('not refused');
}

describe('a form', () => {
  it('nests hashes and lists, decodes text, and takes the last of equal names', () => {
    expect(parseForm('a=1&b[c]=2&b[d][0]=x&b[d][1]=y+z%26&e[]=p&e[]=q&a=3&flag')).toEqual({
      a: '3',
      b: { c: '2', d: { 0: 'x', 1: 'y z&' } },
      e: { 0: 'p', 1: 'q' },
      flag: '',
    });
  });

  it.each(['a[=1', 'a]b=1', '[a]=1', '=1', 'a=1&a[b]=2', 'a[b]=1&a=2', 'a=%zz'])('refuses %s', (body) => {
    expect(refused(() => parseForm(body)).message).toContain('Invalid request');
  });

  it('reads back what an encoder wrote', () => {
    const names = fc.string({ minLength: 1, maxLength: 10 }).filter((name) => !/[[\]]/.test(name));
    fc.assert(
      fc.property(fc.dictionary(names, fc.string(), { maxKeys: 20 }), (values) => {
        const body = Object.entries(values)
          .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
          .join('&');
        expect({ ...parseForm(body) }).toEqual({ ...values });
      }),
    );
  });

  it('has one canonical text whatever the order, and another for other values', () => {
    const same = (a: string, b: string): boolean => canonicalForm(parseForm(a)) === canonicalForm(parseForm(b));
    expect([
      same('a=1&b[c]=2&b[d]=3', 'b[d]=3&b[c]=2&a=1'),
      same('a=1', 'a=2'),
      same('a=1', 'a[b]=1'),
      same('a=1&b=2', 'a=1'),
    ]).toEqual([true, false, false, false]);
  });
});

describe('declared parameters', () => {
  const shape = {
    name: required(text(5)),
    amount: integer(1, 10),
    on: flag,
    kind: oneOf('x', 'y'),
    at: timestamp,
    tags: list(text()),
    inner: hash({ deep: required(integer()) }),
    note: unsettable(text()),
    metadata,
  };

  it('are read into their types', () => {
    expect(
      readParams(
        shape,
        parseForm('name=n&amount=7&on=true&kind=y&at=5&tags[1]=b&tags[0]=a&inner[deep]=-3&note=&metadata[k]=v'),
      ),
    ).toEqual({
      name: 'n',
      amount: 7,
      on: true,
      kind: 'y',
      at: 5,
      tags: ['a', 'b'],
      inner: { deep: -3 },
      note: null,
      metadata: { k: 'v' },
    });
  });

  it.each([
    ['', { code: 'parameter_missing', param: 'name' }],
    ['name=n&x=1&y=2', { code: 'parameter_unknown', param: 'x', message: 'Received unknown parameters: x, y' }],
    ['name=toolong', { param: 'name' }],
    ['name=n&amount=0', { code: 'parameter_invalid_integer', param: 'amount' }],
    ['name=n&amount=11', { code: 'parameter_invalid_integer', param: 'amount' }],
    ['name=n&kind=z', { param: 'kind', message: 'Invalid kind: must be one of x, or y' }],
    ['name=n&inner[deep]=1&inner[other]=2', { code: 'parameter_unknown', param: 'inner[other]' }],
    ['name=n&inner[a]=1', { code: 'parameter_unknown', param: 'inner[a]' }],
    ['name=n&at=soon', { param: 'at' }],
    ['name=n&tags[x]=1', { param: 'tags', message: 'Invalid array' }],
  ])('refuse %s', (body, expected) => {
    expect(refused(() => readParams(shape, parseForm(body)))).toMatchObject(expected);
  });

  it('change metadata key by key', () => {
    expect(changedMetadata({ a: '1', b: '2' }, { b: '', c: '3' })).toEqual({ a: '1', c: '3' });
    expect(changedMetadata({ a: '1' }, null)).toEqual({});
    expect(changedMetadata({ a: '1' }, undefined)).toEqual({ a: '1' });
  });
});

describe('a page', () => {
  const rows = ['e', 'd', 'c', 'b', 'a'].map((id) => ({ id }));
  const ids = (params: object): [string, boolean] => {
    const { data, has_more: more } = pageOf(rows, params, '/v1/rows', 'row');
    return [data.map((row) => row.id).join(''), more];
  };

  it('is cut from either side', () => {
    expect(ids({ limit: 2 })).toEqual(['ed', true]);
    expect(ids({ limit: 2, starting_after: 'd' })).toEqual(['cb', true]);
    expect(ids({ limit: 2, starting_after: 'c' })).toEqual(['ba', false]);
    expect(ids({ limit: 2, ending_before: 'b' })).toEqual(['dc', true]);
    expect(ids({ limit: 9, ending_before: 'c' })).toEqual(['ed', false]);
    expect(ids({ starting_after: 'a' })).toEqual(['', false]);
  });

  it('refuses an unknown cursor and two at once', () => {
    expect(refused(() => ids({ starting_after: 'z' }))).toMatchObject({
      code: 'resource_missing',
      param: 'starting_after',
    });
    expect(refused(() => ids({ starting_after: 'a', ending_before: 'b' })).message).toContain('only specify one');
  });
});

describe('a path pattern', () => {
  it.each([
    ['/v1/customers', '/v1/customers', true],
    ['/v1/customers', '/v1/customers/cus_1', false],
    ['/v1/customers/*', '/v1/customers/cus_1', true],
    ['/v1/customers/*', '/v1/customers/cus_1/balance_transactions', false],
    ['/v1/**', '/v1/customers/cus_1/balance_transactions', true],
    ['**', '/anything', true],
    ['/v1/c.stomers', '/v1/customers', false],
    ['/v1/*/cus_1', '/v1/customers/cus_1', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected);
  });
});
