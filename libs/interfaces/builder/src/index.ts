export {
  AddQuery,
  attachQueryBuilder,
  ConfigureQuery,
  GetPageStructure,
  ListQueryTemplates,
  PreviewQuery,
  queryTemplates,
  registerQueryTemplate,
  RemoveQuery,
} from './operations';
export {
  createTemplateRegistry,
  describeTemplate,
  type ChainStep,
  type Params,
  type QueryTemplate,
  type StepArgument,
  type TemplatePackage,
  type TemplateRegistry,
  type TemplateSamples,
} from './templates';
export { exportedName, packageName, templateConflicts, templateViolations, wordsOf } from './template-violations';
export type { CustomCalculation } from '@platform/page-runtime';
export type * from './types';
