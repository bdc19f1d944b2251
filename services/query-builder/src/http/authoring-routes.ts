/** The routes of authoring, besides the pages: the operations, their live stream, the studio. */
import { join } from 'node:path';
import { staticPageRoutes, type Route } from '@platform/http-server';
import { builderRoutes, type CallBuilder, type CallUntil } from './builder-routes';
import { liveEditsRoute } from './live-edits';
import { studioRoutes } from './studio-routes';

/** Where the studio's files are, relative to the bundle: in an image, and in `dist`. */
const besideTheBundle = ['query-studio', '../../libs/query-studio'].map((place) => join(__dirname, place));

export function authoringRoutes({
  call,
  callUntil,
  drained,
}: {
  readonly call: CallBuilder;
  readonly callUntil: CallUntil;
  readonly drained: Promise<void>;
}): Route[] {
  return [
    ...builderRoutes(call, callUntil),
    ...studioRoutes(call),
    liveEditsRoute(call, drained),
    ...staticPageRoutes({ base: '/dms/studio', title: 'The query studio', folders: besideTheBundle }),
  ];
}
