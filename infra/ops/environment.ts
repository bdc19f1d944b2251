/** The environment of one service's off-line program, from one that names the databases of all services. */
type Environment = Readonly<Record<string, string | undefined>>;

/** `MONGODB_URL_LIFECYCLE_DELIVERY` for `lifecycle-delivery`. */
export function databaseVariable(service: string): string {
  return `MONGODB_URL_${service.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * A service's own address, as a value or as a file, takes precedence over the one for all. `alone`: MONGODB_DATABASE
 * names the database of this service; otherwise each service uses its own name.
 */
export function environmentOf(service: string, environment: Environment, alone: boolean): Environment {
  const variable = databaseVariable(service);
  const own = { MONGODB_URL: environment[variable], MONGODB_URL_FILE: environment[`${variable}_FILE`] };
  const named = own.MONGODB_URL !== undefined || own.MONGODB_URL_FILE !== undefined;
  const { MONGODB_DATABASE: database, ...rest } = environment;
  return { ...rest, ...(named && own), ...(alone && database !== undefined && { MONGODB_DATABASE: database }) };
}

/** Whether the environment names a database, by value or by file. */
export function namesDatabase({ MONGODB_URL: url, MONGODB_URL_FILE: file }: Environment): boolean {
  return Boolean(url) || Boolean(file);
}
