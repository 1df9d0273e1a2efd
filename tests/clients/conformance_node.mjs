// node --import: see conformance_hooks.mjs.
import fs from 'node:fs';
import {register} from 'node:module';

if (!fs.globSync) register('./conformance_hooks.mjs', import.meta.url);
