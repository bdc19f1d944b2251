/** The program in which the code of pages runs, separate from everything that has a secret or a connection. */
import { runPageCode } from './host/page-code/run-page-code';

runPageCode();
