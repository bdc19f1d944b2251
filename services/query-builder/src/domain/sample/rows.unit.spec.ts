import { digestOf } from '@platform/kernel';
import { kindOf, type Resource } from '@platform/page-runtime';
import { proofSize } from '@platform/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResource } from '../source/read-resource';
import { sampleRows, type SampleRow } from './rows';

const rows = proofSize({ lean: 3_000, full: 10_000 });
const until = new Date('2026-06-15T12:00:00Z');
const resourceOf = (name: string): Resource =>
  readResource(name, readFileSync(join(__dirname, `../../../sample-project/resources/${name}/resource.ts`), 'utf8'))
    .resource;

describe(`the sample shop of ${rows} rows`, () => {
  const all = [...sampleRows({ rows, until })];
  const of = (name: string): SampleRow[] => all.filter(({ resource }) => resource === name).map(({ row }) => row);

  it('is the same every time and another with another seed', () => {
    expect(digestOf([...sampleRows({ rows, until })])).toBe(digestOf(all));
    expect(digestOf([...sampleRows({ rows, until, seed: 7 })])).not.toBe(digestOf(all));
  });

  it('has as many rows as asked, each with an id of its own', () => {
    expect(all).toHaveLength(rows);
    expect(new Set(all.map(({ row }) => row._id)).size).toBe(rows);
    expect(() => [...sampleRows({ rows: 10, until })]).toThrow(RangeError);
  });

  it.each(['orders', 'customers', 'products'])('gives %s values of the kinds that the resource declares', (name) => {
    const resource = resourceOf(name);
    const kinds = {
      text: 'string',
      select: 'string',
      number: 'number',
      boolean: 'boolean',
      date: 'object',
      opaque: undefined,
    } as const;
    const wrong = of(name).flatMap(({ _id, tenantId, ...values }) =>
      Object.entries(values)
        .filter(([field, value]) => {
          const kind = kindOf(resource, field);
          if (kind === undefined || (kind !== 'opaque' && typeof value !== kinds[kind])) return true;
          if (kind === 'select') return !resource.fields[field]!.options!.includes(value as string);
          return kind === 'date' && (value as Date).getTime() >= until.getTime();
        })
        .map(([field, value]) => `${_id} of ${tenantId}: ${field} is ${String(value)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('sells more in December than in August, and more on Fridays than on Sundays', () => {
    const orders = of('orders').map((row) => row['createdAt'] as Date);
    const count = (accepts: (date: Date) => boolean): number => orders.filter(accepts).length;
    expect(count((date) => date.getUTCMonth() === 11)).toBeGreaterThan(count((date) => date.getUTCMonth() === 7));
    expect(count((date) => date.getUTCDay() === 5)).toBeGreaterThan(count((date) => date.getUTCDay() === 0));
  });
});
