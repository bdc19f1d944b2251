/** A page of a list as comma-separated values (RFC 4180): for whom, and the header `Link` that names the page after it. */
import type { listFormats } from '@platform/contracts-operator';
import { z } from 'zod';

/** Request headers of a list that is also available as a file. */
export const csvHeaders = z.object({
  accept: z.string().max(500).optional().describe('`text/csv` for comma-separated values.'),
});

export const alsoCsv = {
  'text/csv': 'The same rows as comma-separated values (RFC 4180), with a line of column names.',
} as const;

/** The query parameter decides; without one, the header does. */
export function wantsCsv(format: (typeof listFormats)[number] | undefined, accept: string | undefined): boolean {
  return format === undefined ? /(?:^|,)\s*text\/csv\s*(?:;|,|$)/i.test(accept ?? '') : format === 'csv';
}

export interface CsvPage {
  /** Of the list. */
  readonly path: string;
  /** The request's query; the link to the next page repeats its filters. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly filename: string;
  readonly text: string;
  readonly nextCursor: string | undefined;
}

export function csvReply({ path, query, filename, text, nextCursor }: CsvPage) {
  const next = new URLSearchParams({ ...textsOf(query), cursor: nextCursor ?? '' }).toString();
  return {
    kind: 'text',
    contentType: 'text/csv; charset=utf-8; header=present',
    text,
    headers: {
      'content-disposition': `attachment; filename="${filename}"`,
      ...(nextCursor !== undefined && { link: `<${path}?${next}>; rel="next"` }),
    },
  } as const;
}

function textsOf(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}
