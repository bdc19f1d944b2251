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

/** The query parameter decides; without one, the header does: CSV is named in it and wanted no less than JSON. */
export function wantsCsv(format: (typeof listFormats)[number] | undefined, accept: string | undefined): boolean {
  if (format !== undefined) return format === 'csv';
  const weights = weightsOf(accept ?? '');
  const csv = weights.get('text/csv') ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return csv > 0 && csv >= json;
}

/** Weights by media range (RFC 9110 §12.5.1): 1 without `q`, and 0 for one that cannot be read. */
function weightsOf(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(',').map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1';
      return [range, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
    }),
  );
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
