import type { Revisioned } from '@platform/kernel';
import { defineSteps, type Checked } from './steps';

interface Base extends Revisioned {
  readonly note?: string;
}
interface Open extends Base {
  readonly status: 'open';
}
interface Paid extends Base {
  readonly status: 'paid';
  readonly paidAt: Date;
}
interface Stopped extends Base {
  readonly status: 'stopped';
  readonly error: string;
}
interface Filed extends Base {
  readonly status: 'filed';
  readonly paidAt: Date;
  readonly place: string;
}
type Bill = Open | Paid | Stopped;

const declare = () =>
  defineSteps<Bill>()({
    name: 'bill',
    field: 'status',
    begins: ['open'],
    table: {
      open: { to: ['paid', 'stopped'] },
      paid: { to: [] },
      stopped: { to: [], byResolution: ['paid'] },
    },
    own: { open: {}, paid: { paidAt: true }, stopped: { error: true } },
  });
const steps = declare();

const at = new Date(1_000);
const stamps = { revision: 'r1', createdAt: at, updatedAt: at };
const open: Open = { _id: 'b1', ...stamps, status: 'open', note: 'n' };
const stopped: Stopped = { _id: 'b1', ...stamps, status: 'stopped', error: 'unknown' };
const paid: Paid = { _id: 'b1', ...stamps, status: 'paid', paidAt: at };

/** Represents a store that accepts only checked drafts. */
const write = (draft: Checked<Bill>): object => draft;

describe('the steps of a record', () => {
  it('lead to another status, with its own fields and without the stamps', () => {
    expect(write(steps.move(open, 'paid', { paidAt: at }))).toEqual({
      _id: 'b1',
      status: 'paid',
      note: 'n',
      paidAt: at,
    });
  });

  it('drop the fields that only the status left behind had', () => {
    expect(write(declare().resolve(stopped, 'paid', { paidAt: at }))).toEqual({
      _id: 'b1',
      status: 'paid',
      paidAt: at,
    });
  });

  it('bring along what the next status has too', () => {
    const filed = defineSteps<Open | (Paid & { readonly by: string }) | Filed>()({
      name: 'bill',
      field: 'status',
      begins: ['open'],
      table: { open: { to: ['paid'] }, paid: { to: ['filed'] }, filed: { to: [] } },
      own: { open: {}, paid: { paidAt: true, by: true }, filed: { paidAt: true, place: true } },
    });
    expect(filed.move({ ...paid, by: 'a' }, 'filed', { place: 'p' })).toEqual({
      _id: 'b1',
      status: 'filed',
      paidAt: at,
      place: 'p',
    });
  });

  it('drop a field that changes to nothing', () => {
    expect(write(steps.keep(open, { note: undefined }))).toStrictEqual({ _id: 'b1', status: 'open' });
    expect(write(steps.keep(stopped, { note: undefined }))).toStrictEqual({
      _id: 'b1',
      status: 'stopped',
      error: 'unknown',
    });
    const emptied = steps.keep({ ...open, note: undefined as never }, {});
    expect(write(emptied)).toStrictEqual({ _id: 'b1', status: 'open' });
  });

  it('outside the table do not compile, and throw when they are forced', () => {
    // @ts-expect-error -- the table has no step for running code from stopped to paid
    expect(() => steps.move(stopped, 'paid', { paidAt: at })).toThrow('bill b1: no step from stopped to paid');
    // @ts-expect-error -- a resolution takes no record that running code may take
    expect(() => steps.resolve(open, 'paid', { paidAt: at })).toThrow('no step from open to paid by a resolution');
    // @ts-expect-error -- nothing follows a final status
    expect(() => steps.move(paid, 'open', {})).toThrow('bill b1: no step from paid to open');
    const corrupt = { ...open, status: 'gone' } as never as Open;
    expect(() => steps.move(corrupt, 'paid', { paidAt: at })).toThrow('bill b1: no step from gone to paid');
    // @ts-expect-error -- no status of this record
    expect(() => steps.move(open, 'gone', {})).toThrow('bill b1: no step from open to gone');
  });

  it('do not compile without the fields of the new status', () => {
    // @ts-expect-error -- a stopped bill says why
    steps.move(open, 'stopped', {});
  });

  it('are the only way to a draft: a copy with another status is none', () => {
    const kept = steps.keep(paid, {});
    // @ts-expect-error -- no draft of the steps
    write({ _id: 'b1', status: 'paid', paidAt: at });
    // @ts-expect-error -- checked as paid, written as open
    write({ ...kept, status: 'open' });
    // @ts-expect-error -- a change of values is no way to a status
    expect(() => steps.keep(paid, { status: 'open' })).toThrow('bill b1: a change of values names a status');
  });

  it('begin where the record begins', () => {
    expect(write(steps.begin<Open>({ _id: 'b2', status: 'open' }))).toEqual({ _id: 'b2', status: 'open' });
    expect(() => steps.begin<Paid>({ _id: 'b2', status: 'paid', paidAt: at })).toThrow(
      'bill: no record begins as paid',
    );
  });
});
