/** Mounts the owner's pages. Without a token the login is all there is. */
import { render } from 'preact';
import '@platform/design-parts/style.css';
import './style.css';
import { App } from './app';

render(<App />, document.getElementById('page')!);
