/** Collection `console_sessions`: who is signed in to the console and the owner's pages. */
import { roles, type Role } from '@platform/http-server';
import type { CollectionDeclaration } from '@platform/mongo';
import type { ConsoleSession } from '../domain/console-session';

export type PersonSession = ConsoleSession<Role>;

export const consoleSessionsCollection: CollectionDeclaration<PersonSession> = {
  name: 'console_sessions',
  vocabulary: { role: roles },
  indexes: [{ name: 'by_end', key: { endsAt: 1, _id: 1 } }],
};
