/** Collection `console_sessions`: the people who are signed in to the console. */
import { staffRoles, type StaffRole } from '@platform/http-server';
import type { CollectionDeclaration } from '@platform/mongo';
import type { ConsoleSession } from '../domain/console-session';

export type StaffSession = ConsoleSession<StaffRole>;

export const consoleSessionsCollection: CollectionDeclaration<StaffSession> = {
  name: 'console_sessions',
  vocabulary: { role: staffRoles },
  indexes: [{ name: 'by_end', key: { endsAt: 1, _id: 1 } }],
};
