import { boundedPage, comparePositions, type Lane, type Order, type Position } from './bounded-page';
import { decodeListCursor, encodeListCursor } from './list-cursor';

interface Row {
  readonly id: string;
  readonly at: Date;
  readonly odd: boolean;
}

const row = (second: number, id: string): Row => ({ id, at: new Date(second * 1_000), odd: second % 2 === 1 });

/** Reads as a store does: in order, strictly after the position, up to the limit. */
function laneOf(rows: Row[], order: Order, asked: number[] = []): Lane<Row> {
  return async (after, limit) => {
    asked.push(limit);
    return [...rows]
      .sort((a, b) => comparePositions(order, a, b))
      .filter((each) => !after || comparePositions(order, each, after) > 0)
      .slice(0, limit);
  };
}

async function walk(lanes: Row[][], order: Order, limit: number, batch: number, keep?: (row: Row) => boolean) {
  const seen: string[] = [];
  let after: Position | null = null;
  for (let page = 0; page < 500; page += 1) {
    const found = await boundedPage<Row>({
      lanes: lanes.map((rows) => laneOf(rows, order)),
      positionOf: (each) => each,
      order,
      after,
      limit,
      batch,
      ...(keep && { keep }),
    });
    expect(found.rows.length).toBeLessThanOrEqual(limit);
    seen.push(...found.rows.map(({ id }) => id));
    if (!found.next) return seen;
    after = decodeListCursor(encodeListCursor(found.next));
  }
  throw new Error('the list has no end');
}

describe('a list of several reads', () => {
  // Many rows share an instant, and some rows are in both lanes.
  const first = Array.from({ length: 60 }, (_, at) => row(Math.floor(at / 3), `a${String(at).padStart(3, '0')}`));
  const second = [
    ...Array.from({ length: 20 }, (_, at) => row(at * 2, `b${String(at).padStart(3, '0')}`)),
    ...first.filter((_, at) => at % 5 === 0),
  ];
  const all = (order: Order) =>
    [...new Map([...first, ...second].map((each) => [each.id, each])).values()].sort((a, b) =>
      comparePositions(order, a, b),
    );

  it.each<[Order, number, number]>([
    ['newest', 7, 8],
    ['oldest', 7, 8],
    ['newest', 10, 3],
    ['oldest', 1, 2],
    ['newest', 100, 101],
  ])('%s first gives each row once and in order, with a limit of %i and portions of %i', async (order, limit, batch) =>
    expect(await walk([first, second], order, limit, batch)).toEqual(all(order).map(({ id }) => id)),
  );

  it('leaves out what is judged on the rows, and comes to its end all the same', async () => {
    const odd = all('newest').filter((each) => each.odd);
    expect(await walk([first, second], 'newest', 4, 5, (each) => each.odd)).toEqual(odd.map(({ id }) => id));
    expect(await walk([first], 'newest', 4, 5, () => false)).toEqual([]);
  });

  it('reads no more of a lane than its portion', async () => {
    const asked: number[] = [];
    const page = await boundedPage<Row>({
      lanes: [laneOf(first, 'newest', asked)],
      positionOf: (each) => each,
      order: 'newest',
      after: null,
      limit: 5,
      batch: 20,
      keep: () => false,
    });
    expect({ asked, page }).toEqual({
      asked: [20],
      page: { rows: [], read: 20, next: expect.objectContaining({ id: 'a040' }) },
    });
  });

  it('has cursors that say nothing else', () => {
    const position = { at: new Date(5), id: 'x', via: 'near:word' };
    expect(decodeListCursor(encodeListCursor(position))).toEqual(position);
    for (const text of [
      '',
      '!!',
      encodeListCursor({ at: new Date(0), id: 'x' }).slice(2),
      btoa('[1]'),
      btoa('["a","b"]'),
    ])
      expect(decodeListCursor(text)).toBeNull();
  });
});
