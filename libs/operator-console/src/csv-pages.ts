/**
 * Joins the pages of a list into one file of comma-separated values, with the line of column names once, up to a limit
 * of pages. A longer list is several files, each of which says by its name that it is a part.
 */

/** The gateway's answer: text and the header `Link`, or a problem. */
export type TextAnswer = { readonly text: string; readonly link: string | null } | { readonly problem: string };

/** Where a file begins. */
export interface CsvPart {
  readonly number: number;
  /** Absent at the beginning of the list. */
  readonly cursor?: string;
}

export interface CsvFile {
  readonly text: string;
  /** The part that follows, when more pages follow than one file has. */
  readonly next?: CsvPart;
  /** Why the file is incomplete; then it is not offered. */
  readonly problem?: string;
}

export const csvPagesAtOnce = 200;
export const firstPart: CsvPart = { number: 1 };

export async function csvOfPages(
  read: (cursor: string | undefined) => Promise<TextAnswer>,
  part: CsvPart = firstPart,
): Promise<CsvFile> {
  let text = '';
  let { cursor } = part;
  for (let page = 0; page < csvPagesAtOnce; page += 1) {
    const answer = await read(cursor);
    if ('problem' in answer) return { text: '', problem: answer.problem };
    text += page === 0 ? answer.text : answer.text.slice(answer.text.indexOf('\r\n') + 2);
    cursor = nextOf(answer.link);
    if (cursor === undefined) return { text };
  }
  return { text, next: { number: part.number + 1, ...(cursor !== undefined && { cursor }) } };
}

/** `activity.csv` for a whole list; `activity-part-2.csv`, and `activity-part-3-last.csv` at its end. */
export function nameOfPart(filename: string, part: CsvPart, next: CsvPart | undefined): string {
  if (part.number === 1 && !next) return filename;
  return filename.replace(/(\.\w+)?$/, `-part-${part.number}${next ? '' : '-last'}$1`);
}

function nextOf(link: string | null): string | undefined {
  const query = /<[^?>]*\?([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  return query === undefined ? undefined : (new URLSearchParams(query).get('cursor') ?? undefined);
}
