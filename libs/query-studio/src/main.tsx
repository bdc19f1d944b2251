/** Mounts the studio. Without a token only the login is loaded. */
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import '@platform/design-parts/style.css';
import './style.css';
import { App } from './app';

render(<App />, document.getElementById('page')!);
