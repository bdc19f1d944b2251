/** What the studio gives to copy: the line of a page, and the address of a request. */
import { emptyForm, type Field, type Form } from './form';
import { addressOf, argsOf, blockOf, boundOf } from './request';

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
