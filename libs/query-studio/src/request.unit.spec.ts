/** What the studio gives to copy: the line of a page, and the address of a request. */
import { emptyForm, type Field, type Form } from './form';
import { addressOf, argsOf, blockOf, boundOf, inWordsOfForm, previewRefusal } from './request';

const named = (name: string): Field => ({ name, type: 'string', kind: 'text', ops: ['eq'] });

it('is a block that a page takes, also over rows without a field to break down or to show', () => {
  const block = blockOf({ ...emptyForm, name: 'all' }, '/dms/pages/a/stats/all', { timeline: false }, [named('note')]);
  expect(block).toBe("{\n  kind: 'kpi-card',\n  title: 'All',\n  fetchUrl: '/dms/pages/a/stats/all',\n},");
});

it('is an address with each value in its own place, though one name begins like another', () => {
  const where = ['status', 'statusCode'].map((name) => ({
    field: name,
    op: 'eq',
    value: { $param: { name, in: 'param' } },
  }));
  const form: Form = { ...emptyForm, name: 'of', endpoint: '/of/:statusCode/:status', params: { where } };
  const bound = boundOf(
    form,
    where.map(({ field }) => named(field)),
    new Date(0),
  );
  expect(addressOf('/a', form, bound, argsOf(bound, { status: 'paid', statusCode: 'x/y' }))).toBe(
    '/dms/pages/a/of/x%2Fy/paid',
  );
});

const at = (name: string, op: string, value: unknown) => ({ field: name, op, value });
const asked = (name: string) => ({ $param: { name, in: 'query' } });
const period = [at('createdAt', 'ge', asked('from')), at('createdAt', 'lt', asked('to'))];

it.each([
  ['that is compared', period, ['compareFrom', 'compareTo']],
  ['without an upper bound', period.slice(0, 1), []],
  ['with two lower bounds', [...period, at('createdAt', 'gt', asked('after'))], []],
  ['over two fields', [period[0], at('paidAt', 'lt', asked('to'))], []],
  ['up to a fixed day', [period[0], at('createdAt', 'lt', '2026-01-01')], []],
])('asks for the period before a period %s, as its route does', (_what, where, expected) => {
  const fields = ['createdAt', 'paidAt'].map((name): Field => ({ ...named(name), type: 'date', kind: 'date' }));
  const names = boundOf({ ...emptyForm, compare: true, params: { where } }, fields, new Date(0)).map(
    ({ name }) => name,
  );
  expect(names.filter((name) => name.startsWith('compare'))).toEqual(expected);
});

it('names the missing field as the form does, and an earlier answer only where there is one', () => {
  const missing = '/tenant is required; /query/params/field is required; /params/where/0/op is required';
  const text = inWordsOfForm(missing, [{ name: 'field', title: 'Measured field' }]);
  const named = 'Workspace is required; Measured field is required; /params/where/0/op is required';
  expect([previewRefusal(text, true, false), previewRefusal(text, true, true)]).toEqual([
    `Not complete yet: ${named}`,
    `Not complete yet, so the previous answer is shown: ${named}`,
  ]);
  expect(previewRefusal(inWordsOfForm('The builder did not answer.', []), false, true)).toBe(
    'The builder did not answer.',
  );
  expect(inWordsOfForm('Nothing was done. tenant must have at most 128 characters.', [])).toBe(
    'Nothing was done. Workspace must have at most 128 characters.',
  );
});
