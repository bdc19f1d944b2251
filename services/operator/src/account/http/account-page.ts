/** The owner's pages: static files and the theme of the product. */
import { join } from 'node:path';
import { defineRoute, reply, staticPageRoutes, type Route } from '@platform/http-server';
import { ownerThemeSchema, type OwnerTheme } from '../domain/owner-theme';

/** Where the files are, relative to the bundle: in an image, and in `dist`. */
const besideTheBundle = ['owner-pages', '../../libs/owner-pages'].map((place) => join(__dirname, place));

export function accountPageRoutes(theme: OwnerTheme, folder: string | undefined): Route[] {
  return [
    ...staticPageRoutes({
      base: '/account',
      title: "The owner's pages",
      folders: folder === undefined ? besideTheBundle : [folder],
    }),
    defineRoute({
      method: 'GET',
      path: '/account/theme',
      policy: 'public',
      undocumented: true,
      summary: "Look of the owner's pages",
      responses: { 200: ownerThemeSchema },
      errors: [],
      handle: async () => reply(200, theme),
    }),
  ];
}
