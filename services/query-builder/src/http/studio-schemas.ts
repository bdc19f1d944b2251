/** The shapes of the operations besides the specification's six; the studio and the command line use them. */
import { dataTypes, storedForms, type DataType } from '@platform/page-runtime';
import { z } from 'zod';
import { change, documented, draftInput, queryInput, queryPatch } from './builder-schemas';

const text = z.string();
const file = z.object({ path: text, before: text, text }).meta({ id: 'ReviewedFile' });
const types = Object.keys(dataTypes) as [DataType, ...DataType[]];

export const pageRef = text.min(1).max(200);
export const queryRef = text.min(1).max(300);
export const version = text.max(200);

export const edit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), pageRef, input: documented(queryInput) }),
  z.strictObject({ kind: z.literal('configure'), query: queryRef, patch: documented(queryPatch) }),
  z.strictObject({ kind: z.literal('remove'), query: queryRef }),
]);

export const created = z.object({ changes: z.array(change) });
export const reviewed = created.extend({ files: z.array(file).describe('whole texts, before and after') });
export const adoption = reviewed.extend({ possible: z.boolean(), version: text });
export const undoing = z.strictObject({
  savedAt: text.max(40).optional().describe('the time of the save as LastSave said it: a later save is not taken back'),
});
export const undone = created.extend({ query: text });
export const lastSave = z.object({ save: z.object({ query: text, savedAt: text }).optional() });
export const history = z.object({
  versioned: z.boolean().describe('false: the project is in no repository'),
  commits: z.array(z.object({ commit: text, author: text, at: text, subject: text, diff: text })),
});

export const draft = z
  .object({
    id: text,
    revision: z.int(),
    pageRef: text,
    input: draftInput,
    author: text,
    savedAt: text,
  })
  .meta({ id: 'Draft' });
export const seenRevision = z.int().min(1).optional().describe('the revision that was seen: a later one is a conflict');
export const draftList = z.object({ drafts: z.array(draft) });

export const newPage = z.strictObject({
  pageRef,
  title: text.max(200),
  permission: text.max(200).describe('who may open it, such as shop.orders.read'),
});
const newField = z
  .strictObject({
    name: text.max(64),
    type: z.enum(types),
    options: z.array(text.max(200)).max(200).optional(),
    multiple: z.boolean().optional(),
    path: text.max(200).optional(),
    stored: z.enum(storedForms).optional(),
  })
  .meta({ id: 'NewField' });
export const newResource = z
  .strictObject({
    name: text.max(64),
    title: text.max(200),
    collection: text.max(200).optional(),
    view: z.boolean().optional(),
    tenantScoped: z.boolean(),
    tenantField: text.max(200).optional(),
    fields: z.array(newField).max(200),
  })
  .meta({ id: 'NewResource' });
export const introspected = z.object({
  resource: z.object(newResource.shape).optional().describe('absent: there is nothing to look at'),
  notes: z.array(text).describe('what a sample cannot prove'),
});
