/** The builder operations over one page project. */
import type { QueryBuilder, TemplateRegistry } from '@platform/builder';
import type { PageProject } from '../store/page-project';
import { addQuery } from './add-query';
import { configureQuery } from './configure-query';
import { pageStructure } from './page-structure';
import { previewQuery, type PreviewReads } from './preview-query';
import type { BuilderPorts } from './ports';
import { removeQuery } from './remove-query';

/** `reads`: how previews reach the rows; without it a preview is `unsupported`. */
export function createQueryBuilder(
  project: PageProject,
  templates: TemplateRegistry,
  reads?: PreviewReads,
): QueryBuilder {
  const ports: BuilderPorts = { project, templates, stoodUnused: new Map() };
  return {
    addQuery: (pageRef, input, options) => addQuery(ports, pageRef, input, options),
    configureQuery: (query, patch, options) => configureQuery(ports, query, patch, options),
    removeQuery: (query, options) => removeQuery(ports, query, options),
    getPageStructure: (pageRef) => pageStructure(ports, pageRef),
    previewQuery: (input) => previewQuery(ports, reads, input),
  };
}
