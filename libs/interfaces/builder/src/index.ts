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
  type TemplateRegistry,
} from './templates';
export { templateViolations, type TemplateSamples } from './template-violations';
export type * from './types';
