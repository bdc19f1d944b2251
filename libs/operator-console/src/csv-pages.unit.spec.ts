import { csvOfPages, csvPagesAtOnce, firstPart, nameOfPart, type TextAnswer } from './csv-pages';

const page = (rows: string, next?: string): TextAnswer => ({
  text: `at,id\r\n${rows}`,
  link: next === undefined ? null : `</api/saas/activity?format=csv&cursor=${encodeURIComponent(next)}>; rel="next"`,
});

describe('a file out of pages', () => {
  it('has the names of the columns once, and goes on where each page ended', async () => {
    const asked: (string | undefined)[] = [];
    const file = await csvOfPages(async (cursor) => {
      asked.push(cursor);
      return cursor === undefined ? page('1,a\r\n2,"b\r\nc"\r\n', 'x+/=') : page('3,d\r\n');
    });
    expect({ asked, file }).toEqual({
      asked: [undefined, 'x+/='],
      file: { text: 'at,id\r\n1,a\r\n2,"b\r\nc"\r\n3,d\r\n' },
    });
  });

  it('is nothing when a page is missing', async () => {
    const refused = await csvOfPages(async (cursor) => (cursor ? { problem: 'away' } : page('1,a\r\n', 'n')));
    expect(refused).toEqual({ text: '', problem: 'away' });
  });

  it('ends at a limit of pages, and the next one goes on there, to the end of the list', async () => {
    const pages = 2 * csvPagesAtOnce + 3;
    const read = async (cursor = '0') => {
      const at = Number(cursor);
      return page(`${at},a\r\n`, at + 1 < pages ? String(at + 1) : undefined);
    };
    const names: string[] = [];
    const rows: string[] = [];
    for (let part = firstPart, more = true; more;) {
      const { text, next } = await csvOfPages(read, part);
      names.push(nameOfPart('activity.csv', part, next));
      const [head, ...lines] = text.trimEnd().split('\r\n');
      expect(head).toBe('at,id');
      rows.push(...lines);
      more = next !== undefined;
      part = next ?? part;
    }
    expect(names).toEqual(['activity-part-1.csv', 'activity-part-2.csv', 'activity-part-3-last.csv']);
    expect(rows).toEqual(Array.from({ length: pages }, (_each, at) => `${at},a`));
  });

  it('has its plain name when it is the whole list', () => {
    expect(nameOfPart('activity.csv', firstPart, undefined)).toBe('activity.csv');
  });
});
