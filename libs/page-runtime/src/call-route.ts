/** Calls a route's method with the arguments that its parameters' decorators declare; the guard was checked before. */
import type { RowAccess } from './chain';
import type { PageClass, PageUser, RouteNote } from './decorators';

/** The text of a declared value of the request. */
export type RequestText = (name: string) => string;

export interface RouteCall {
  readonly value: RequestText;
  readonly access: RowAccess;
  readonly user: PageUser;
}

/** Returns what the method returns; throws what it throws. */
export async function callRoute(
  page: PageClass,
  { method, parameters }: RouteNote,
  { value, access, user }: RouteCall,
): Promise<unknown> {
  const instance = new (page as new () => Readonly<Record<string, (...values: unknown[]) => unknown>>)();
  const values: unknown[] = [];
  for (const note of parameters) {
    switch (note.source) {
      case 'permission':
        values[note.index] = user;
        break;
      case 'model':
        values[note.index] = new note.model(access);
        break;
      case 'query':
      case 'param':
      case 'header':
        values[note.index] = value(note.name);
    }
  }
  return instance[method]!(...values);
}
