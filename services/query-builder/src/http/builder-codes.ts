/** The HTTP codes of the builder operations' refusals; every service shares `not_found`. */
import { defineCodes } from '@platform/http-server';

export const builderCodes = defineCodes({
  invalid_config: {
    status: 400,
    title: 'Invalid configuration',
    message: 'The query cannot be built as it is configured. Nothing was written.',
    nextStep: 'Correct the places that `errors` names.',
  },
  duplicate_name: {
    status: 409,
    title: 'Duplicate name',
    message: 'The page or the model has a member of this name, or a route has this address.',
    nextStep: 'Choose another name or address.',
  },
  opaque_target: {
    status: 409,
    title: 'Opaque target',
    message: 'The code of this query was edited in a way that the form cannot represent. It still runs.',
    nextStep: 'Edit it as code, or remove it and add a new query.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    message: 'The page has changed since you read it. Nothing was written.',
    nextStep: 'Read the page again and repeat the change if it is still wanted.',
  },
  unsupported: {
    status: 422,
    title: 'Not supported',
    message: 'The page project or its file system does not allow this.',
    nextStep: 'Read the reason and change the project, or edit the code by hand.',
  },
  source_error: {
    status: 422,
    title: 'Source error',
    message: 'A file of the page project does not compile, or has a form that cannot be edited.',
    nextStep: 'Open the file at the place that is named and correct it.',
  },
});
