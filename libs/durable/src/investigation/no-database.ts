/**
 * The message of off-line programs without a database; a separate file, because a program may print it before it loads
 * a driver.
 */
export const noDatabase =
  'MONGODB_URL is not set: name the database by MONGODB_URL or MONGODB_URL_FILE, or, for the program of all services, by MONGODB_URL_<SERVICE> or MONGODB_URL_<SERVICE>_FILE';
