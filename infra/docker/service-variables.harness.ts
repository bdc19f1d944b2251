/** The environment variables that each service reads, from the schema that parses them. */
import { configSchema as billingWebhook } from '../../services/billing-webhook/src/config';
import { configSchema as lifecycleDelivery } from '../../services/lifecycle-delivery/src/config';
import { configSchema as operator } from '../../services/operator/src/config';
import { configSchema as provisioning } from '../../services/provisioning/src/config';
import { configSchema as queryBuilder } from '../../services/query-builder/src/config';

interface Variable {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown };
}

const schemas: Readonly<Record<string, { readonly shape: Readonly<Record<string, Variable>> }>> = {
  'billing-webhook': billingWebhook,
  'lifecycle-delivery': lifecycleDelivery,
  operator,
  provisioning,
  'query-builder': queryBuilder,
};

/** By the name of a service's folder. Throws for a folder without a schema here. */
function variablesOf(service: string): Readonly<Record<string, Variable>> {
  const schema = schemas[service];
  if (!schema) throw new Error(`the configuration of ${service} is not known here`);
  return schema.shape;
}

/** Whether a variable, or its file form, is in the schema. */
export function isRead(service: string, variable: string): boolean {
  return [variable, variable.replace(/_FILE$/, '')].some((name) => Object.hasOwn(variablesOf(service), name));
}

/** The value that the service uses when the variable is not set. */
export function defaultOf(service: string, variable: string): unknown {
  return variablesOf(service)[variable]?.safeParse(undefined).data;
}

/** The variables whose value the service would refuse, each checked separately. */
export function refusedVariables(service: string, given: Readonly<Record<string, string>>): string[] {
  const variables = variablesOf(service);
  return Object.entries(given)
    .filter(([name, value]) => variables[name] && !variables[name].safeParse(value).success)
    .map(([name]) => name);
}
