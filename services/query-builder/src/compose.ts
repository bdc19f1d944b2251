/** The composition root of the query builder: the only file that sees everything. Opened in order, closed in reverse. */
import { resolve } from 'node:path';
import { queryTemplates } from '@platform/builder';
import type { ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import { builtInTemplates } from './domain/templates';
import { openPageHost } from './host';

type Context = ServiceContext<Config>;

export async function compose({ config, log, open }: Context): Promise<{ readonly url: string }> {
  const registered = builtInTemplates.map((template) => queryTemplates.register(template));
  await open('query templates', registered, (removals) => removals.forEach((remove) => remove()));
  // Its workers listen, for the pages and for `/api/builder`; what they cannot do themselves they ask of this process.
  const host = await open('page host', openPageHost({ projectDir: resolve(config.PAGE_PROJECT_DIR), workers: config.PAGE_WORKERS, log, operations: {} }), (opened) => opened.close());
  return { url: host.url };
}
