import { createManualClock, createSequentialIds, type Revisioned } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { walk } from './index';

interface Row extends Revisioned {
  readonly turn: number;
  readonly open: boolean;
  readonly end: { readonly at: Date };
}

async function open(count: number) {
  const rows = createFakeStore({ clock: createManualClock(), ids: createSequentialIds() }).collection<Row>({
    name: 'rows',
    indexes: [
      { name: 'turn', key: { turn: 1, _id: 1 } },
      { name: 'open', key: { open: 1, _id: 1 } },
      { name: 'end', key: { 'end.at': 1, _id: 1 } },
    ],
  });
  for (let n = 0; n < count; n += 1)
    await rows.insert({ _id: `r${n}`, turn: Math.floor(n / 3), open: true, end: { at: new Date(n) } });
  return rows;
}

describe('a walk over records', () => {
  it.each([0, 1, 4, 5, 9])('meets each of %i once, in the order of the index', async (count) => {
    const seen: string[] = [];
    for await (const { _id } of walk(await open(count), {}, { sort: ['turn', '_id'], pageSize: 4 })) seen.push(_id);
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => `r${n}`));
  });

  it('goes on after a page that is ordered by a field inside another', async () => {
    const seen: string[] = [];
    for await (const { _id } of walk(await open(9), {}, { sort: ['end.at', '_id'], pageSize: 4 })) seen.push(_id);
    expect(seen).toEqual(Array.from({ length: 9 }, (_, n) => `r${n}`));
  });

  it('goes on after a record without the field of its order', async () => {
    const rows = createFakeStore({ clock: createManualClock(), ids: createSequentialIds() }).collection<Revisioned>({
      name: 'rows',
      indexes: [{ name: 'end', key: { 'end.at': 1, _id: 1 } }],
    });
    for (const _id of ['a', 'b', 'c']) await rows.insert({ _id });
    const seen: string[] = [];
    for await (const { _id } of walk(rows, {}, { sort: ['end.at', '_id'], pageSize: 1 })) seen.push(_id);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [0, 1],
    [5, 2],
    [8, 3],
  ])('over %i records reads %i pages of four: a short page is the last one', async (count, pages) => {
    const rows = await open(count);
    const find = jest.spyOn(rows, 'find');
    for await (const _row of walk(rows, {}, { pageSize: 4 }));
    expect(find).toHaveBeenCalledTimes(pages);
  });

  it('goes on when the records that it has passed no longer match', async () => {
    const rows = await open(9);
    const seen: string[] = [];
    for await (const row of walk(rows, { open: true }, { pageSize: 2 })) {
      seen.push(row._id);
      await rows.mutate(row, { ...row, open: false });
    }
    expect(seen).toHaveLength(9);
  });
});
