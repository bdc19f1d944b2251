import { csvOfPages, csvPagesAtOnce, type TextAnswer } from './csv-pages';

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
      file: { text: 'at,id\r\n1,a\r\n2,"b\r\nc"\r\n3,d\r\n', cut: false },
    });
  });

  it('is nothing when a page is missing, and says when it is cut', async () => {
    const refused = await csvOfPages(async (cursor) => (cursor ? { problem: 'away' } : page('1,a\r\n', 'n')));
    expect(refused).toEqual({ text: '', cut: false, problem: 'away' });
    let pages = 0;
    const endless = await csvOfPages(async () => page(`${(pages += 1)},a\r\n`, 'n'));
    expect({ pages, cut: endless.cut }).toEqual({ pages: csvPagesAtOnce, cut: true });
  });
});
