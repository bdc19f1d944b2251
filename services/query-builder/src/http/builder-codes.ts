/** The refusals of the builder operations as HTTP has them; `not_found` is every service's. */
import { defineCodes } from '@platform/http-server';

export const builderCodes = defineCodes({
  invalid_config: {
    status: 400,
    title: 'Invalid configuration',
    message: 'The query cannot be built as it is asked for; every issue has a pointer.',
  },
  duplicate_name: {
    status: 409,
    title: 'Duplicate name',
    message: 'The page or the model has a member of this name, or a route has this address.',
  },
  opaque_target: {
    status: 409,
    title: 'Opaque target',
    message: 'The query was edited beyond what can be read back. Remove it and add a new one.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    message: 'Another person changed the page meanwhile. Read it and decide anew.',
  },
  unsupported: { status: 422, title: 'Not supported', message: 'The project or its file system does not allow this.' },
  source_error: {
    status: 422,
    title: 'Source error',
    message: 'A file of the page project cannot be read as it should be.',
  },
});
