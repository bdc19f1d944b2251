/** Compiles a package's calculation into stages; it may use the rows before it and the fields of the resource. */
import type { CalculationFields, CalculationOptions, CustomCalculation } from '../custom';
import { kindOf, pathOf, type Resource } from '../resource';
import { ChainError } from './chain-error';
import { isPlainFieldName } from './condition-value';
import type { Stage } from './stage';

/** Stages that read only the preceding rows: none reads another table or writes one. */
const allowed: ReadonlySet<string> = new Set([
  '$match',
  '$group',
  '$project',
  '$set',
  '$unset',
  '$unwind',
  '$sort',
  '$limit',
  '$skip',
  '$count',
]);

/** The stages of one call. Throws ChainError. */
export function compileCustom(
  resource: Resource,
  { definition, options }: { readonly definition: CustomCalculation; readonly options: CalculationOptions },
): readonly Stage[] {
  const fields: CalculationFields = {
    path(field) {
      if (typeof field !== 'string' || !isPlainFieldName(field) || kindOf(resource, field) === undefined)
        throw new ChainError(`${resource.name} has no field ${JSON.stringify(field)}`);
      return pathOf(resource, field);
    },
    kind: (field) => kindOf(resource, field),
  };
  const stages = definition.compile(options, fields);
  const foreign = stages.flatMap((stage) => Object.keys(stage)).find((name) => !allowed.has(name));
  if (foreign !== undefined) throw new ChainError(`the calculation ${definition.id} uses the stage ${foreign}`);
  return stages;
}
