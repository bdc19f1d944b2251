/** The built-in templates. They are registered like any other, at the start of the process that uses them. */
import type { QueryTemplate } from '@platform/builder';
import { aggregateTemplate, countTemplate } from './scalar';
import { seriesTemplate } from './series';

export const builtInTemplates: readonly QueryTemplate[] = [countTemplate, aggregateTemplate, seriesTemplate];
