/** What off-line programs say without a database; a file of its own, because a program may say it before it loads a driver. */
export const noDatabase =
  'MONGODB_URL is not set: name the database by MONGODB_URL or MONGODB_URL_FILE, or, for the program of all services, by MONGODB_URL_<SERVICE> or MONGODB_URL_<SERVICE>_FILE';
