/**
 * Joins the pages of a list into one file of comma-separated values, with the line of column names once, up to a limit
 * of pages.
 */

/** The gateway's answer: text and the header `Link`, or a problem. */
export type TextAnswer = { readonly text: string; readonly link: string | null } | { readonly problem: string };

export interface CsvFile {
  readonly text: string;
  /** Whether more pages follow than are read at once. */
  readonly cut: boolean;
  /** Why the file is incomplete; then it is not offered. */
  readonly problem?: string;
}

export const csvPagesAtOnce = 200;

export async function csvOfPages(read: (cursor: string | undefined) => Promise<TextAnswer>): Promise<CsvFile> {
  let text = '';
  let cursor: string | undefined;
  for (let page = 0; page < csvPagesAtOnce; page += 1) {
    const answer = await read(cursor);
    if ('problem' in answer) return { text: '', cut: false, problem: answer.problem };
    text += page === 0 ? answer.text : answer.text.slice(answer.text.indexOf('\r\n') + 2);
    cursor = nextOf(answer.link);
    if (cursor === undefined) return { text, cut: false };
  }
  return { text, cut: true };
}

function nextOf(link: string | null): string | undefined {
  const query = /<[^?>]*\?([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  return query === undefined ? undefined : (new URLSearchParams(query).get('cursor') ?? undefined);
}
