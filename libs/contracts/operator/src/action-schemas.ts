/** Schemas of the actions' requests and previews, derived from the table of actions. Unknown fields are refused. */
import { z } from 'zod';
import { contractOf, type ActionField, type OperationAction } from './actions';
import { operatorLimits } from './limits';
import { chosenOperationIdSchema, instantSchema, planIdSchema, writtenText } from './vocabulary';

const addressSchema = z
  .string()
  .max(2_000)
  .refine(
    (text) => /^https?:\/\/[^\s]+$/.test(text) && URL.canParse(text.replaceAll(/[{}]/g, '')),
    'must be an http or https address',
  );

/** By kind; a kind without a schema does not compile. */
const schemas: { readonly [Kind in ActionField['kind']]: (field: ActionField & { readonly kind: Kind }) => z.ZodType } =
  {
    plan: () => planIdSchema,
    amount: ({ example }) => z.int().min(1).meta({ example }),
    text: ({ maxCharacters, example }) => writtenText(maxCharacters).meta({ example }),
    instant: () => instantSchema,
    confirmation: ({ example }) => z.string().max(64).meta({ example }),
    address: ({ example }) => addressSchema.meta({ example }),
  };

function schemaOf(field: ActionField): z.ZodType {
  const schema = (schemas[field.kind] as (field: ActionField) => z.ZodType)(field);
  return field.optional ? schema.optional().meta({ example: field.example }) : schema;
}

function valueSchemas(action: OperationAction): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(contractOf(action).values).map(([name, field]) => [name, schemaOf(field)]));
}

export type ActionValues = Partial<Readonly<Record<string, string | number | boolean>>>;

const reasonSchema = writtenText(operatorLimits.reasonCharacters);

type ActionRequestSchema = z.ZodType<{ operationId: string; reason?: string; previewDigest?: string } & ActionValues>;
type ActionPreviewRequestSchema = z.ZodType<
  { operationId?: string | undefined; reason?: string | undefined } & ActionValues
>;

/** One schema for each action, so that what is derived from a schema is derived once. */
function onceForEach<S>(make: (action: OperationAction) => S): (action: OperationAction) => S {
  const made = new Map<OperationAction, S>();
  return (action) => {
    const schema = made.get(action) ?? make(action);
    made.set(action, schema);
    return schema;
  };
}

/** The body of an action: its operation id, the reason, the preview on which it is based, and its values. */
export const actionRequestSchema = onceForEach<ActionRequestSchema>(
  (action) =>
    z.strictObject({
      operationId: chosenOperationIdSchema,
      reason: reasonSchema.optional().meta({ example: 'Asked for by telephone' }),
      previewDigest: z
        .string()
        .regex(/^[0-9a-f]{64}(\.\d{1,12})?$/, 'must be the digest that the preview was answered with')
        .optional(),
      ...valueSchemas(action),
    }) as never,
);

/** The body of a preview: the same values; an operation id and a reason are accepted and reserve nothing. */
export const actionPreviewRequestSchema = onceForEach<ActionPreviewRequestSchema>(
  (action) =>
    z.strictObject({
      operationId: chosenOperationIdSchema.optional(),
      reason: reasonSchema.optional(),
      ...valueSchemas(action),
    }) as never,
);

const moneySchema = z.object({ amountCents: z.int(), currency: z.string() });

/** What an action would do to the workspace in its current state. Nothing is recorded for a preview. */
export const actionPreviewSchema = z
  .object({
    /** Identifies what the preview was judged by; a different digest means that something has changed since. */
    previewDigest: z.string().meta({ example: 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184' }),
    consequences: z.array(z.string()),
    /**
     * The plan's price before and after, and the credit, come from the catalog. The charge comes from the
     * provider.
     */
    amounts: z.object({
      planNow: moneySchema.optional(),
      planThen: moneySchema.optional(),
      credit: moneySchema.optional(),
      /** What the person may still credit today, including this credit; absent where the role has no limit. */
      creditLeft: moneySchema.optional(),
      /**
       * The invoice that the provider would make now; absent when the action charges nothing or the provider did not
       * answer.
       */
      charge: z
        .object({
          currency: z.string(),
          /** For the rest of the period, minus what is credited for it; negative for a cheaper price. */
          prorationCents: z.int(),
          taxCents: z.int(),
          totalCents: z.int(),
          /** Taken from the customer's credit balance. */
          fromBalanceCents: z.int(),
          /** What the customer's card is charged. */
          dueCents: z.int(),
          /** From the catalog: the invoice of the next period, and when that period begins. */
          nextInvoice: moneySchema.optional(),
          nextInvoiceAt: z.string().optional(),
        })
        .optional(),
    }),
    /** The first reason for which the action would be refused now; absent when it would be accepted. */
    refusal: z
      .object({
        code: z.string(),
        detail: z.string(),
        nextStep: z.string(),
        errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
      })
      .optional(),
  })
  .meta({ id: 'ActionPreview' });
export type ActionPreview = z.infer<typeof actionPreviewSchema>;
