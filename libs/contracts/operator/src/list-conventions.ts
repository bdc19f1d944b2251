/**
 * What all lists of the gateway have in common: newest first unless requested otherwise, pages of at most 100, opaque
 * cursors.
 */
import { z } from 'zod';
import { operatorLimits } from './limits';

export const listOrders = ['newest', 'oldest'] as const;
export const listOrderSchema = z.enum(listOrders).describe('Which rows come first.');
export type ListOrder = z.infer<typeof listOrderSchema>;

/** The version of the gateway's interface; decision 33 says when it changes. */
export const apiVersion = '1';

/** Query parameters of every list. */
export const listQueryMembers = {
  order: listOrderSchema.default('newest'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(operatorLimits.listItems)
    .default(50)
    .describe('Rows of a page, 1 to 100. A page may be shorter although more follows.'),
  cursor: z
    .string()
    .max(500)
    .optional()
    .describe('`nextCursor` of the page before. Rows that are added meanwhile cause no repeats and no gaps.'),
} as const;

export const listFormats = ['json', 'csv'] as const;

/** Query member of the lists that are also files. */
export const listFormatSchema = z
  .enum(listFormats)
  .optional()
  .describe('`csv`: the same page as text/csv, as with `Accept: text/csv`.');

export const nextCursorSchema = z.string().optional().describe('Continues the list as `cursor`; absent at its end.');
