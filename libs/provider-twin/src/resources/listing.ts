/**
 * Lists as the provider returns them: newest first, filtered by equal fields and by `created`, and cut into pages. Most
 * kinds of objects need nothing else.
 */
import { created, endpoint, page, within, type Endpoint } from '../http/endpoint';
import { pageOf } from '../http/pagination';
import type { Shape } from '../http/params';
import type { TableName } from '../tables';
import { kindNames, newestFirst } from './lookup';

/** Whether a row has every requested field value and creation time. */
export function selected(row: object, given: object, fields: string[]): boolean {
  const parameter = (name: string): unknown => Reflect.get(given, name);
  const equal = fields.every((name) => parameter(name) === undefined || Reflect.get(row, name) === parameter(name));
  return equal && within(Number(Reflect.get(row, 'created')), parameter('created') as Parameters<typeof within>[1]);
}

/** The list endpoint of a table whose filters are plain equality. */
export function listEndpoint(path: string, table: TableName, filters: Shape): Endpoint {
  const fields = Object.keys(filters);
  return endpoint('GET', path, { ...page, ...filters, created }, (twin, given) =>
    pageOf(
      newestFirst(twin, table, (row) => selected(row, given, fields)),
      given,
      path,
      kindNames[table] ?? table,
    ),
  );
}
