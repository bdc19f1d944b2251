/**
 * The messages between the process that runs page code and the serving process: plain data, checked by schemas on the
 * trusted side, because page code may send anything. A page requests a calculation and never a command of the database.
 */
import {
  asDate,
  buckets,
  dataTypes,
  directions,
  filterOps,
  mappingFault,
  measureOps,
  orderings,
  storedForms,
  type PageUser,
  type Point,
  type Resource,
} from '@platform/page-runtime';
import { z } from 'zod';
import type { CompiledPage } from '../project/compiled-page';
import { readStages, runsCode } from './wire-stages';

const tableName = z
  .string()
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
  .max(64);
const fieldName = z.string().min(1).max(200);
const typeNames = Object.keys(dataTypes) as [keyof typeof dataTypes];

const place = z.string().max(500);

const labels = z.strictObject({
  from: place,
  key: place.optional(),
  field: place,
  tenantField: place.optional(),
  shared: z.boolean().optional(),
});

const resource = z
  .strictObject({
    name: tableName,
    title: z.string().max(500).optional(),
    collection: place.optional(),
    view: z.boolean().optional(),
    tenantScoped: z.boolean(),
    tenantField: place.optional(),
    fields: z.record(
      fieldName,
      z.strictObject({
        type: z.enum(typeNames),
        options: z.array(z.string()).max(10_000).optional(),
        multiple: z.boolean().optional(),
        title: z.string().max(500).optional(),
        path: place.optional(),
        stored: z.enum(storedForms).optional(),
        labels: labels.optional(),
      }),
    ),
  })
  .refine((given) => mappingFault(given as Resource) === undefined, { message: 'names what no page may read' });

/**
 * A calculation of a package: its code ran together with the page's, and its stages are checked again before they are
 * sent.
 */
const custom = z
  .strictObject({
    id: z.string().max(200),
    measure: z.enum(measureOps),
    stages: z.array(z.record(z.string(), z.unknown())).max(50),
  })
  .transform(({ id, measure, stages }, context) => {
    const read = readStages(stages);
    if (!runsCode(read)) return { definition: { id, measure, compile: () => read }, options: {} };
    context.addIssue({ code: 'custom', message: 'runs code in the database' });
    return z.NEVER;
  });

const value = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({ date: z.string() }).transform(({ date }, context) => {
    const read = new Date(date);
    if (!Number.isNaN(read.getTime())) return read;
    context.addIssue({ code: 'custom', message: 'is no instant' });
    return z.NEVER;
  }),
  z.strictObject({ day: z.iso.date() }).transform(({ day }) => asDate(day)),
]);

const shared = {
  tenantId: z.string().max(200).optional(),
  where: z.array(z.strictObject({ field: fieldName, op: z.enum(filterOps), value })).max(1_000),
  timezone: z.string().max(100).optional(),
  op: z.enum(measureOps),
  field: fieldName.optional(),
};

const calculation = z.discriminatedUnion('kind', [
  z.strictObject({ ...shared, kind: z.literal('scalar'), custom: custom.optional() }),
  z.strictObject({
    ...shared,
    kind: z.literal('series'),
    groupBy: fieldName,
    bucket: z.enum(buckets).optional(),
    orderBy: z.enum(orderings),
    direction: z.enum(directions),
    limit: z.number().optional(),
  }),
]);

/** A calculation over a table, as a page requests it. */
const askedCalculation = z.strictObject({ resource, calculation });
export type AskedCalculation = z.output<typeof askedCalculation>;

const roles = ['text', 'id', 'select', 'number', 'date', 'boolean'] as const;

/** A route as a process of page code describes it. */
const loadedRoute = z.strictObject({
  method: z.string().max(500),
  endpoint: z.string().max(2_000),
  permission: z.string().max(500),
  parameters: z.array(
    z.strictObject({
      name: z.string().max(500),
      in: z.enum(['query', 'param', 'header']),
      role: z.enum([...roles, 'unknown']),
      options: z.array(z.string()).optional(),
      uses: z.array(z.strictObject({ field: z.string(), op: z.enum(filterOps) })),
    }),
  ),
  calculations: z.array(askedCalculation),
  needsTenant: z.boolean(),
});

/** A page as its process describes it. */
export const describedPage = z.strictObject({
  title: z.string(),
  permission: z.string().min(1),
  blocks: z
    .array(
      z.object({
        kind: z.string(),
        title: z.string(),
        fetchUrl: z.string().optional(),
        better: z.enum(['up', 'down']).optional(),
        unit: z
          .string()
          .regex(/^\P{C}{1,12}$/u)
          .optional(),
        decimals: z.int().min(0).max(6).optional(),
        breakdown: z.array(fieldName).max(10).optional(),
        rows: z.array(fieldName).min(1).max(30).optional(),
        wide: z.boolean().optional(),
      }),
    )
    .optional(),
  routes: z.array(loadedRoute).max(10_000),
});
export type DescribedPage = z.input<typeof describedPage>;

/** The error of page code in a failed call. */
const thrown = z.strictObject({
  name: z.string().max(200),
  message: z.string().max(10_000),
  stack: z.string().max(50_000).optional(),
  /** Set when a value of the request is not valid for a field. */
  bad: z
    .strictObject({
      text: z.string(),
      expected: z.string(),
      role: z.enum(roles),
      options: z.array(z.string()).optional(),
    })
    .optional(),
  /** The rows could not be read; the serving process has the reason. */
  unread: z.boolean().optional(),
});
export type Thrown = z.output<typeof thrown>;

const problem = z.strictObject({
  pageRef: z.string(),
  file: z.string(),
  line: z.number().int(),
  message: z.string(),
});

const id = z.number().int();

/** All messages of page code's process while pages are served. */
export const fromCode = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('loaded'), id, page: describedPage }),
  z.strictObject({ kind: z.literal('failed'), id, problem }),
  z.strictObject({ kind: z.literal('ask'), call: id, ask: id, asked: askedCalculation }),
  z.strictObject({ kind: z.literal('done'), id, result: z.unknown() }),
  z.strictObject({ kind: z.literal('threw'), id, error: thrown }),
  z.strictObject({ kind: z.literal('pulse'), id }),
  z.strictObject({ kind: z.literal('said'), text: z.string().max(2_000) }),
]);
export type FromCode = z.input<typeof fromCode>;

/**
 * The input of a route call: texts of the request and the caller. It contains no token and no header of the platform.
 */
export interface CodeCall {
  readonly compiled: CompiledPage;
  readonly method: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly user: PageUser;
}

/** The serving process's answer to a request for rows. `cut` says what a series was cut from. */
export type Asked =
  | { readonly kind: 'number'; readonly value: number | null }
  | { readonly kind: 'points'; readonly points: readonly Point[]; readonly cut?: object }
  | { readonly kind: 'unread' };

export type ToCode =
  | { readonly kind: 'try'; readonly codeFolder: string; readonly pages: readonly CompiledPage[] }
  | { readonly kind: 'load'; readonly id: number; readonly codeFolder: string; readonly compiled: CompiledPage }
  | ({ readonly kind: 'call'; readonly id: number; readonly codeFolder: string } & CodeCall)
  | { readonly kind: 'answer'; readonly ask: number; readonly answer: Asked }
  | { readonly kind: 'retain'; readonly pages: readonly CompiledPage[] }
  | { readonly kind: 'pulse'; readonly id: number };
