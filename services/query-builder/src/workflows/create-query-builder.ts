/** The builder operations over one page project. */
import type { AddQueryInput, QueryBuilder, TemplateRegistry } from '@platform/builder';
import type { PageProject } from '../store/page-project';
import { addQuery } from './add-query';
import { configureQuery } from './configure-query';
import { pageStructure } from './page-structure';
import { previewQuery, type PreviewReads } from './preview-query';
import type { BuilderPorts, RunOptions } from './ports';
import { removeQuery } from './remove-query';

/** The builder operations; a caller can review an edit before it is written. */
export interface ReviewedBuilder extends QueryBuilder {
  addQuery(pageRef: string, input: AddQueryInput, options?: RunOptions): ReturnType<QueryBuilder['addQuery']>;
  configureQuery(
    query: string,
    patch: Partial<AddQueryInput>,
    options?: RunOptions,
  ): ReturnType<QueryBuilder['configureQuery']>;
  removeQuery(query: string, options?: RunOptions): ReturnType<QueryBuilder['removeQuery']>;
}

/** `reads`: how previews reach the rows; without it a preview is `unsupported`. */
export function createQueryBuilder(
  project: PageProject,
  templates: TemplateRegistry,
  reads?: PreviewReads,
): ReviewedBuilder {
  return builderOver({ project, templates, unusedBefore: new Map() }, reads);
}

/** The builder for callers that have further operations on the same ports. */
export function builderOver(ports: BuilderPorts, reads?: PreviewReads): ReviewedBuilder {
  return {
    addQuery: (pageRef, input, options) => addQuery(ports, pageRef, input, options),
    configureQuery: (query, patch, options) => configureQuery(ports, query, patch, options),
    removeQuery: (query, options) => removeQuery(ports, query, options),
    getPageStructure: (pageRef) => pageStructure(ports, pageRef),
    previewQuery: (input, gone) => previewQuery(ports, reads, input, gone),
  };
}
